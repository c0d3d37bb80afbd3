import { store } from './console-state.ts';
import { loadLatest } from './conversation.ts';
import { followMachineRoom } from './machine-room-feed.ts';
import { loadSends } from './sends.ts';
import { ask } from './service.ts';
import type { Account, FeedEntry, Rule, Template, UserRow } from './shapes.ts';
import { takeEntry } from './take-entry.ts';
import { refreshWay } from './way.ts';

type ServiceState = {
  feedId: number;
  now: string;
  chatChannelNumbers: readonly string[];
  account: Account;
  rules: readonly Rule[];
  templates: readonly Template[];
};

const AGAIN_MS = 1_000;

let open: readonly EventSource[] = [];

/** Reads everything, then follows what happens; when something was missed, everything is read anew. */
export const connect = async (): Promise<void> => {
  for (const source of open) source.close();
  open = [];
  const parts = await ask<{ machineRoom: boolean }>('GET', '/console/parts');
  const state = await ask<ServiceState>('GET', '/sandbox/state');
  const carrier = await ask<{ expired: readonly unknown[] }>('GET', '/sandbox/deliveries?limit=1');
  const users = await ask<{ users: readonly UserRow[] }>('GET', '/sandbox/users?limit=1000');
  if (!parts.ok || !state.ok || !carrier.ok || !users.ok) {
    store.set({ connection: 'lost' });
    setTimeout(() => void connect(), AGAIN_MS);
    return;
  }
  const { feedId, now, chatChannelNumbers, account, rules, templates } = state.value;
  store.set({
    hasMachineRoom: parts.value.machineRoom,
    clockOffsetMs: Date.parse(now) - Date.now(),
    chatChannelNumbers,
    account,
    rules,
    templates,
    expired: carrier.value.expired.length,
    users: { byContact: new Map(users.value.users.map((user) => [user.contact, user])) },
    user: store.get().user ?? users.value.users[0]?.contact,
  });
  await Promise.all([loadLatest(), loadSends()]);
  refreshWay();
  open = [followService(feedId), ...(parts.value.machineRoom ? [followMachineRoom()] : [])];
};

const followService = (after: number): EventSource => {
  const feed = new EventSource(`/sandbox/feed?after=${after}`);
  feed.onopen = () => store.set({ connection: 'live' });
  feed.onerror = () => store.set({ connection: 'lost' });
  feed.onmessage = ({ data }) => {
    const entry: FeedEntry = JSON.parse(data);
    if (takeEntry(entry) === 'read-anew') void connect();
  };
  return feed;
};
