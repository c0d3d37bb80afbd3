/** The message or request whose timeline is shown. */
export interface Selection {
  readonly kind: 'message' | 'request';
  readonly id: string;
}

export const TABS = ['user', 'requests', 'dead-letters', 'events'] as const;
/** What the activity pane lists: the selected user's requests, all requests, dead letters, or the event log. */
export type Tab = (typeof TABS)[number];

/** Which requests the list of all requests shows. Empty text and no state show all of them. */
export interface RequestFilter {
  readonly text: string;
  readonly state: string | undefined;
}

/** What the console shows. The address bar always contains it, so that every view can be linked. */
export interface Route {
  /** The address of the user whose phone is shown. */
  readonly user: string | undefined;
  readonly selection: Selection | undefined;
  readonly tab: Tab;
  readonly filter: RequestFilter;
}

export const NO_FILTER: RequestFilter = { text: '', state: undefined };

/** Parses the query of the page's URL. Ignores what it does not know, such as the parameters of a click-to-chat link. */
export const parseRoute = (search: string): Route => {
  const query = new URLSearchParams(search);
  const given = (name: string): string | undefined => query.get(name) || undefined;
  const [message, request] = [given('message'), given('request')];
  return {
    user: given('user'),
    selection: request ? { kind: 'request', id: request } : message ? { kind: 'message', id: message } : undefined,
    tab: TABS.find((tab) => tab === query.get('tab')) ?? 'user',
    filter: { text: query.get('q') ?? '', state: given('state') },
  };
};

/** Returns the page's URL for a route, without what is the default. */
export const formatRoute = ({ user, selection, tab, filter }: Route): string => {
  const query = new URLSearchParams();
  if (user !== undefined) query.set('user', user);
  if (selection !== undefined) query.set(selection.kind, selection.id);
  if (tab !== 'user') query.set('tab', tab);
  if (filter.state !== undefined) query.set('state', filter.state);
  if (filter.text !== '') query.set('q', filter.text);
  const text = query.toString();
  return text === '' ? '/' : `/?${text}`;
};
