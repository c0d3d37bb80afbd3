import { beforeEach, expect, it, vi } from 'vitest';
import type { FeedEntry } from '../../../../sandbox/console/page/state/api.ts';
import { applyFeedEntry } from '../../../../sandbox/console/page/state/apply-feed-entry.ts';
import { EMPTY_CONVERSATION, store } from '../../../../sandbox/console/page/state/console-state.ts';
import { AT, inbound, outbound, USER, userRow } from './page-data.ts';

beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', () => 0);
  const byContact = new Map([[USER, userRow({ lastMessage: inbound() })]]);
  store.set({ users: { byContact }, conversation: EMPTY_CONVERSATION, route: { ...store.get().route, user: USER } });
});

const about = (
  type: 'user-wrote' | 'message-edited' | 'message-accepted' | 'status-changed',
  message = outbound({ id: 'm2' }),
): FeedEntry => ({ id: 1, at: AT, type, contact: USER, message });
const shown = () => store.get().conversation.messages.map(({ id }) => id);

it('adds a new message to the conversation, and replaces it when it changes', () => {
  applyFeedEntry(about('message-accepted'));
  applyFeedEntry(about('status-changed', outbound({ id: 'm2', status: 'read' })));

  expect(store.get().conversation.messages).toEqual([outbound({ id: 'm2', status: 'read' })]);
});

it.each([about('status-changed'), about('message-edited', inbound({ id: 'm2' }))])(
  'adds no message that is on an earlier page, or of an earlier user: $type',
  (entry) => {
    applyFeedEntry(entry);

    expect(shown()).toEqual([]);
  },
);

it('keeps the last message of a user whose settings change', () => {
  applyFeedEntry({ id: 1, at: AT, type: 'user-changed', user: userRow({ name: 'Ana' }) });

  expect(store.get().users.byContact.get(USER)).toMatchObject({ name: 'Ana', lastMessage: { id: 'm1' } });
});

it('shows no message of the earlier user of an address', () => {
  store.set({ route: { ...store.get().route, user: undefined } });

  applyFeedEntry({ id: 1, at: AT, type: 'user-changed', user: userRow({ customerSince: AT }) });

  expect(store.get().users.byContact.get(USER)?.lastMessage).toBeNull();
});
