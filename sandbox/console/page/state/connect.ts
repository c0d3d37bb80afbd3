import {
  type Account,
  callApi,
  type FeedEntry,
  type InspectorChange,
  inspectorPath,
  type Rule,
  type Template,
  type UserRow,
} from './api.ts';
import { applyFeedEntry } from './apply-feed-entry.ts';
import { store } from './console-state.ts';
import { replaceRoute } from './navigate.ts';
import { loadSelectedUser, putSend } from './selected-user.ts';
import { refreshTimeline } from './timeline.ts';

type SandboxState = {
  feedId: number;
  now: string;
  chatChannelNumbers: readonly string[];
  account: Account;
  rules: readonly Rule[];
  templates: readonly Template[];
};

const RETRY_MS = 1_000;

let feeds: readonly EventSource[] = [];

/** Loads the whole state, then follows the feeds. Starts over when the feed reports a gap. */
export const connect = async (): Promise<void> => {
  for (const feed of feeds) feed.close();
  feeds = [];
  const parts = await callApi<{ inspector: boolean }>('GET', '/console/parts');
  const state = await callApi<SandboxState>('GET', '/sandbox/state');
  const deliveries = await callApi<{ expired: readonly unknown[] }>('GET', '/sandbox/deliveries?limit=1');
  const users = await callApi<{ users: readonly UserRow[] }>('GET', '/sandbox/users?limit=1000');
  if (!parts.ok || !state.ok || !deliveries.ok || !users.ok) {
    store.set({ connection: 'lost' });
    setTimeout(() => void connect(), RETRY_MS);
    return;
  }
  const hasInspector = parts.value.inspector;
  const { feedId, now, chatChannelNumbers, account, rules, templates } = state.value;
  store.set({
    hasInspector,
    clockOffsetMs: Date.parse(now) - Date.now(),
    chatChannelNumbers,
    account,
    rules,
    templates,
    expiredCount: deliveries.value.expired.length,
    users: { byContact: new Map(users.value.users.map((user) => [user.contact, user])) },
  });
  const latest = users.value.users[0]?.contact;
  if (store.get().route.user === undefined && latest !== undefined) replaceRoute({ user: latest });
  else await loadSelectedUser();
  refreshTimeline();
  feeds = [followSandbox(feedId), ...(hasInspector ? [followInspector()] : [])];
};

const followSandbox = (after: number): EventSource => {
  const feed = new EventSource(`/sandbox/feed?after=${after}`);
  feed.onopen = () => store.set({ connection: 'live' });
  feed.onerror = () => store.set({ connection: 'lost' });
  feed.onmessage = ({ data }) => {
    const entry: FeedEntry = JSON.parse(data);
    if (applyFeedEntry(entry) === 'reload') void connect();
  };
  return feed;
};

const followInspector = (): EventSource => {
  const feed = new EventSource(inspectorPath('feed'));
  const on = <Kind extends InspectorChange['kind']>(
    kind: Kind,
    apply: (change: Extract<InspectorChange, { kind: Kind }>) => void,
  ) => feed.addEventListener(kind, ({ data }) => apply({ kind, ...JSON.parse(data) }));

  on('queues', ({ depths }) => store.set({ queueDepths: depths }));
  on('send', ({ send }) => {
    putSend(send);
    const { route, timeline } = store.get();
    const isShownMessage = send.messageId !== undefined && timeline?.message?.id === send.messageId;
    if (route.selection?.id === send.requestId || isShownMessage) refreshTimeline();
  });
  on('bus', () => {
    if (store.get().route.selection !== undefined) refreshTimeline();
  });
  on('item', ({ key }) => {
    const { route, timeline } = store.get();
    const { selection } = route;
    const isShown = timeline?.trace?.items.some(({ pk, sk }) => `${pk} ${sk}` === key) ?? false;
    if (selection !== undefined && (isShown || key.includes(selection.id))) refreshTimeline();
  });
  return feed;
};
