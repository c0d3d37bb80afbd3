import { store } from './console-state.ts';
import { withMessage } from './conversation.ts';
import type { FeedEntry, User, UserRow } from './shapes.ts';
import { refreshWay } from './way.ts';

/** How much of the feed the page remembers. */
const TAPE = 500;

/** Brings the page up to date with one entry of the feed; whether everything must be read anew instead. */
export const takeEntry = (entry: FeedEntry): 'taken' | 'read-anew' => {
  store.set({ tape: [entry, ...store.get().tape.slice(0, TAPE - 1)] });
  switch (entry.type) {
    case 'account-changed':
      store.set({ account: entry.account });
      break;
    case 'user-changed':
      putUser(entry.user);
      break;
    case 'rule-changed': {
      const others = store.get().rules.filter(({ name }) => name !== entry.name);
      store.set({ rules: entry.rule === null ? others : [...others, entry.rule] });
      break;
    }
    case 'template-changed': {
      const others = store.get().templates.filter(({ name }) => name !== entry.name);
      store.set({ templates: entry.template === null ? others : [...others, entry.template] });
      break;
    }
    case 'channel-added':
      store.set({ chatChannelNumbers: [...store.get().chatChannelNumbers, entry.chatChannelNumber] });
      break;
    case 'event-expired': {
      store.set({ expired: store.get().expired + 1 });
      const id = idOf(entry.event);
      if (id !== undefined && concernsChosen(id)) refreshWay();
      break;
    }
    case 'user-wrote':
    case 'message-accepted':
    case 'status-changed':
      putLastMessage(entry.contact, entry.message, entry.type !== 'status-changed');
      if (entry.contact === store.get().user) {
        store.set({ conversation: withMessage(store.get().conversation, entry.message) });
      }
      if (concernsChosen(entry.message.id)) refreshWay();
      break;
    case 'webhook-attempt': {
      const id = idOf(entry.delivery.event);
      if (id !== undefined && concernsChosen(id)) refreshWay();
      break;
    }
    case 'call':
      if (store.get().chosen?.kind === 'request') refreshWay();
      break;
    case 'clock-moved':
      store.set({ clockOffsetMs: Date.parse(entry.now) - Date.now() });
      break;
    case 'reset':
      store.set({ user: undefined, chosen: undefined, way: undefined, tape: [] });
      return 'read-anew';
    case 'gap':
      return 'read-anew';
    case 'event-published':
    case 'webhook-changed':
    case 'access-tokens-changed':
      break;
  }
  return 'taken';
};

const putUser = (user: User): void => {
  const { byContact } = store.get().users;
  byContact.set(user.contact, { ...user, lastMessage: byContact.get(user.contact)?.lastMessage ?? null });
  store.set({ users: { byContact } });
};

const putLastMessage = (contact: string, message: NonNullable<UserRow['lastMessage']>, isNew: boolean): void => {
  const { byContact } = store.get().users;
  const row = byContact.get(contact);
  if (row === undefined || (!isNew && row.lastMessage?.id !== message.id)) return;
  byContact.set(contact, { ...row, lastMessage: message });
  store.set({ users: { byContact } });
};

const concernsChosen = (messageId: string): boolean => {
  const { chosen, way } = store.get();
  return chosen?.id === messageId || way?.message?.id === messageId;
};

const idOf = (event: unknown): string | undefined =>
  typeof event === 'object' && event !== null && '_id_' in event && typeof event._id_ === 'string'
    ? event._id_
    : undefined;
