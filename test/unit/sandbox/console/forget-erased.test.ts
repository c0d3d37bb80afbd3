import { beforeEach, expect, it, vi } from 'vitest';
import type { FeedEntry } from '../../../../sandbox/console/page/state/api.ts';
import { applyFeedEntry } from '../../../../sandbox/console/page/state/apply-feed-entry.ts';
import { store } from '../../../../sandbox/console/page/state/console-state.ts';
import { erasedContacts } from '../../../../sandbox/console/page/state/erased-contacts.ts';
import { forgetOwnerOf } from '../../../../sandbox/console/page/state/forget-erased.ts';
import { AT, apiCall, outbound, USER, userRow } from './page-data.ts';

const OTHER = '+5491155550002';
const ACCEPTED: FeedEntry = { id: 1, at: AT, type: 'message-accepted', contact: USER, message: outbound() };
const OF_OTHER: FeedEntry = { ...ACCEPTED, id: 2, contact: OTHER, message: outbound({ id: 'm2' }) };
const CALL: FeedEntry = { id: 3, at: AT, type: 'call', call: apiCall({ contact: USER.slice(1) }) };

const shown = () => store.get().eventLog.map(({ id }) => id);

beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', () => 0);
  erasedContacts.clear();
  const byContact = new Map([USER, OTHER].map((contact) => [contact, userRow({ contact })]));
  const route = { ...store.get().route, user: OTHER, tab: 'events' as const };
  store.set({ users: { byContact }, route, eventLog: [CALL, OF_OTHER, ACCEPTED] });
});

it('forgets the user of an erased request, beside another user', () => {
  forgetOwnerOf({ requestId: 'r1', messageId: 'm1' });

  expect([shown(), [...store.get().users.byContact.keys()]]).toEqual([[2], [OTHER]]);
});

it('forgets nobody if the erased request has no message', () => {
  forgetOwnerOf({ requestId: 'r1' });

  expect(shown()).toEqual([3, 2, 1]);
});

it.each<FeedEntry>([
  { id: 4, at: AT, type: 'status-changed', contact: USER, message: outbound({ status: 'read' }) },
  { id: 4, at: AT, type: 'user-changed', user: userRow() },
  CALL,
])('leaves out later activity of a user whom Parley has erased: $type', (entry) => {
  forgetOwnerOf({ requestId: 'r1', messageId: 'm1' });

  applyFeedEntry(entry);

  expect([shown(), store.get().users.byContact.has(USER)]).toEqual([[2], false]);
});

it('shows the activity of an erased user again after a reset of the chat service', () => {
  vi.stubGlobal('history', { replaceState: () => undefined });
  vi.stubGlobal('localStorage', { getItem: () => null });
  forgetOwnerOf({ requestId: 'r1', messageId: 'm1' });
  applyFeedEntry({ id: 4, at: AT, type: 'reset' });

  applyFeedEntry({ id: 5, at: AT, type: 'user-changed', user: userRow() });

  expect(store.get().users.byContact.has(USER)).toBe(true);
});
