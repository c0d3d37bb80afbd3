import { EMPTY_CONVERSATION, type Pane, showPane, store } from './console-state.ts';
import { erasedContacts } from './erased-contacts.ts';
import { loadRequests, requestsPath } from './requests.ts';
import { formatRoute, parseRoute, type Route, type Selection } from './route.ts';
import { loadSelectedUser } from './selected-user.ts';
import { loadTimeline, rememberedTimeline } from './timeline.ts';

/** What to change in the route. `undefined` clears a part; a part that is not named stays. */
export type RouteChange = { readonly [Part in keyof Route]?: Route[Part] };

export const hrefOf = (change: RouteChange): string => formatRoute(routeAfter(change));

/** A change of the list clears the selection, unless it also selects something. */
const routeAfter = (change: RouteChange): Route => {
  const { route } = store.get();
  const changed = { ...route, ...change };
  const isOtherList = LIST_PARTS.some((part) => changed[part] !== route[part]);
  return isOtherList && !('selection' in change) ? { ...changed, selection: undefined } : changed;
};

const LIST_PARTS = ['user', 'tab', 'filter'] as const;

/**
 * Shows something else and adds an entry to the browser's history.
 *
 * @param pane The pane that a narrow screen shows from now on. By default, the activity if a list or selection is given.
 */
export const navigate = (change: RouteChange, pane: Pane = paneOf(change)): void => {
  const route = routeAfter(change);
  if (change.user !== undefined) erasedContacts.delete(change.user);
  if (formatRoute(route) !== formatRoute(store.get().route) || pane !== store.get().pane) {
    history.pushState({ pane }, '', formatRoute(route));
  }
  show(route, pane);
};

/** Like {@link navigate}, but replaces the current entry of the history, for changes that Back should skip. */
export const replaceRoute = (change: RouteChange): void => {
  const route = routeAfter(change);
  history.replaceState({ pane: store.get().pane }, '', formatRoute(route));
  show(route, store.get().pane);
};

export const selectUser = (user: string): void => {
  if (store.get().route.user !== user) navigate({ user, selection: undefined });
};

/** Shows nothing of the earlier user of the selected address, which has a new one. */
export const reloadSelectedUser = (): void => {
  store.set({ conversation: EMPTY_CONVERSATION, requests: undefined, timeline: undefined });
  replaceRoute({ selection: undefined });
  void loadSelectedUser();
  void loadRequests();
};

export const selectItem = (selection: Selection | undefined): void => navigate({ selection });

/** Selects what an action has made, unless another user or item was selected while it ran. */
export const selectUnlessMoved = (before: Route, selection: Selection): void => {
  const { route } = store.get();
  if (route.user === before.user && isSameItem(route.selection, before.selection)) selectItem(selection);
};

/** Starts with the page's URL, then follows the browser's Back and Forward buttons, but not to an erased user. */
export const followHistory = (): void => {
  const route = parseRoute(location.search);
  store.set({ route, pane: route.selection ? 'activity' : 'phone' });
  addEventListener('popstate', ({ state }: PopStateEvent) => {
    const visited = parseRoute(location.search);
    const isErased = erasedContacts.has(visited.user);
    const route = isErased ? { ...visited, user: undefined, selection: undefined } : visited;
    if (isErased) history.replaceState(state, '', formatRoute(route));
    show(route, isPane(state?.pane) ? state.pane : 'phone');
  });
};

/** Lists and timelines are in the activity. */
const paneOf = ({ selection, tab }: RouteChange): Pane => (selection || tab ? 'activity' : store.get().pane);

const show = (route: Route, pane: Pane): void => {
  const { route: previous } = store.get();
  const isOtherUser = route.user !== previous.user;
  const isOtherList = requestsPath(route) !== requestsPath(previous);
  // A filter narrows a list down, so its earlier rows stay until the others are loaded.
  const isFiltered = route.tab === 'requests' && previous.tab === 'requests';
  const isOtherItem = !isSameItem(route.selection, previous.selection);
  showPane(pane);
  store.set({
    // The same object, so that what depends on the selection alone is not rendered again.
    route: isOtherItem ? route : { ...route, selection: previous.selection },
    ...(isOtherUser && { conversation: EMPTY_CONVERSATION }),
    ...(isOtherList && !isFiltered && { requests: undefined }),
    ...(isOtherItem && { timeline: rememberedTimeline(route.selection) }),
  });
  if (isOtherUser) void loadSelectedUser();
  if (isOtherList) void loadRequests();
  if (isOtherItem) void loadTimeline();
};

const isSameItem = (one: Selection | undefined, other: Selection | undefined): boolean =>
  one?.kind === other?.kind && one?.id === other?.id;

const isPane = (value: unknown): value is Pane => value === 'phone' || value === 'activity' || value === 'controls';
