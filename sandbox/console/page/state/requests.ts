import { callApi, inspectorPath, type SendList, type SendSummary } from './api.ts';
import { showError, store } from './console-state.ts';
import { isSameContact } from './find-user.ts';
import type { Route } from './route.ts';

const REFRESH_INTERVAL_MS = 250;

/** Returns where the requests that a route lists are read; undefined if it lists none. */
export const requestsPath = ({ user, tab, filter }: Route): string | undefined => {
  if (tab === 'user' && user !== undefined) return inspectorPath(`sends?${new URLSearchParams({ contact: user })}`);
  if (tab !== 'requests') return undefined;
  const query = new URLSearchParams();
  if (filter.state !== undefined) query.set('state', filter.state);
  if (filter.text !== '') query.set('text', filter.text);
  return inspectorPath(`sends?${query}`);
};

let calls = 0;

/** Loads the requests that are shown. */
export const loadRequests = async (): Promise<void> => {
  calls += 1;
  const call = calls;
  const { route, hasInspector, users } = store.get();
  const path = hasInspector ? requestsPath(route) : undefined;
  if (path === undefined) return;
  const since = route.tab === 'user' && route.user !== undefined && users.byContact.get(route.user)?.customerSince;
  const result = await callApi<SendList>('GET', since ? `${path}&${new URLSearchParams({ since })}` : path);
  // Responses can arrive in any order, and only the latest is about what is shown.
  if (call !== calls) return;
  if (!result.ok) {
    store.set({ requests: { sends: [], total: 0 } });
    return showError(result.error);
  }
  const { sends, total, states } = result.value;
  store.set({ requests: { sends, total }, sendStates: states });
};

let lastRefresh = 0;
let isRefreshScheduled = false;

/** Reloads the requests that are shown if a changed one may be among them; at most every 250 ms. */
export const refreshRequests = ({ platformContactId = '', isErased = false }: SendSummary): void => {
  const { user = '', tab } = store.get().route;
  const isOtherUser = tab === 'user' && !isErased && !isSameContact(platformContactId, user);
  if (isRefreshScheduled || isOtherUser) return;
  isRefreshScheduled = true;
  const refresh = () => {
    isRefreshScheduled = false;
    lastRefresh = performance.now();
    void loadRequests();
  };
  setTimeout(refresh, Math.max(0, lastRefresh + REFRESH_INTERVAL_MS - performance.now()));
};
