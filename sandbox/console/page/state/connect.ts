import { describeEvent } from '../activity/describe-event.ts';
import { type ConsoleStart, callApi, type FeedEntry, type InspectorChange, inspectorPath } from './api.ts';
import { applyFeedEntry } from './apply-feed-entry.ts';
import { store } from './console-state.ts';
import { isAboutSelectedUser } from './contact-status.ts';
import { correctRoute } from './correct-route.ts';
import { noteContactChange } from './dry-run.ts';
import { erasedContacts } from './erased-contacts.ts';
import { forgetIfErased, forgetOwnerOf } from './forget-erased.ts';
import { loadRequests, refreshRequests } from './requests.ts';
import { loadSelectedUser } from './selected-user.ts';
import { loadSendStates } from './send-states.ts';
import { forgetTimelines, linkedUser, refreshTimeline } from './timeline.ts';

const RETRY_MS = 1_000;

let feeds: readonly EventSource[] = [];
let retry: ReturnType<typeof setTimeout> | undefined;
let attempts = 0;

/**
 * Loads the whole state, then follows the feeds. Starts over when the feed reports a gap or a reset, and when a
 * connection is lost, because the inspector's feed does not repeat what was missed.
 */
export const connect = async (): Promise<void> => {
  disconnect();
  const attempt = ++attempts;
  const start = await callApi<ConsoleStart>('GET', '/console/start');
  if (attempt !== attempts) return;
  if (!start.ok) return connectLater();
  forgetTimelines();
  const { feedId, now, log, ...state } = start.value;
  const users = start.value.users.filter(({ contact }) => !erasedContacts.has(contact));
  store.set({
    ...state,
    clockOffsetMs: Date.parse(now) - Date.now(),
    users: { byContact: new Map(users.map((user) => [user.contact, user])) },
    eventLog: log.filter((entry) => !erasedContacts.has(describeEvent(entry).contact)),
  });
  if (state.hasInspector) feeds = [followInspector()];
  const user = (await linkedUser()) ?? users[0]?.contact;
  if (attempt !== attempts) return;
  if (store.get().route.user === undefined && user !== undefined) correctRoute({ user });
  await loadSelectedUser();
  if (attempt !== attempts) return;
  void loadRequests();
  refreshTimeline();
  feeds = [...feeds, followSandbox(feedId)];
};

const disconnect = (): void => {
  clearTimeout(retry);
  for (const feed of feeds) feed.close();
  feeds = [];
};

const connectLater = (): void => {
  disconnect();
  attempts += 1;
  store.set({ connection: 'lost' });
  retry = setTimeout(() => void connect(), RETRY_MS);
};

const followSandbox = (after: number): EventSource => {
  const feed = new EventSource(`/sandbox/feed?after=${after}`);
  feed.onopen = () => store.set({ connection: 'live' });
  feed.onerror = connectLater;
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

  feed.onopen = () => void loadSendStates();
  feed.onerror = connectLater;
  on('queues', ({ depths }) => store.set({ queueDepths: depths }));
  on('stage', ({ stage }) => store.set({ stage }));
  on('send', ({ send, states }) => {
    store.set({ sendStates: states });
    if (send.isErased) forgetOwnerOf(send);
    refreshRequests(send);
    const { route, timeline } = store.get();
    const isShownMessage = send.messageId !== undefined && timeline?.message?.id === send.messageId;
    if (route.selection?.id === send.requestId || isShownMessage) refreshTimeline();
  });
  on('bus', () => {
    if (store.get().route.selection !== undefined) refreshTimeline();
  });
  on('item', ({ key, id, isRemoved, ...subject }) => {
    if (isRemoved && subject.contactKey !== undefined) void forgetIfErased(subject.contactKey);
    const { route, timeline } = store.get();
    if (isAboutSelectedUser(subject)) noteContactChange();
    const { selection } = route;
    const isShown = timeline?.trace?.keys.includes(key) ?? false;
    if (selection !== undefined && (isShown || id === selection.id)) refreshTimeline();
  });
  return feed;
};
