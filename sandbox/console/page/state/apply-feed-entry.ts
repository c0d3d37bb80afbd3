import { describeEvent } from '../activity/describe-event.ts';
import { restartFirstRun } from '../first-run/first-run-state.ts';
import type { FeedEntry, Message } from './api.ts';
import { store } from './console-state.ts';
import { erasedContacts } from './erased-contacts.ts';
import { readEvent } from './event-fields.ts';
import { refreshFaults } from './faults.ts';
import { activityOf, withActivity } from './minutes.ts';
import { reloadSelectedUser, replaceRoute } from './navigate.ts';
import { withMessage } from './selected-user.ts';
import { refreshTimeline } from './timeline.ts';
import { withUser } from './users.ts';

const MAX_LOG_ENTRIES = 500;

/** Applies a feed entry to the state, or returns `reload` if the state must be loaded from scratch. */
export const applyFeedEntry = (entry: FeedEntry): 'applied' | 'reload' => {
  const { eventLog, minutes } = store.get();
  const activity = activityOf(entry);
  const isAboutErased = erasedContacts.has(describeEvent(entry).contact);
  store.set({
    ...(!isAboutErased && { eventLog: [entry, ...eventLog.slice(0, MAX_LOG_ENTRIES - 1)] }),
    ...(activity && { minutes: withActivity(minutes, activity, Date.now()) }),
  });
  switch (entry.type) {
    case 'account-changed':
      store.set({ account: entry.account });
      break;
    case 'user-changed': {
      if (isAboutErased) break;
      const { users, route } = store.get();
      const known = users.byContact.get(entry.user.contact);
      store.set({ users: withUser(users, entry.user) });
      const isNew = known !== undefined && known.customerSince !== entry.user.customerSince;
      if (isNew && entry.user.contact === route.user) reloadSelectedUser();
      break;
    }
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
    case 'event-expired':
      store.set({ expiredCount: store.get().expiredCount + 1 });
      readEvent(entry.event).messageIds.forEach(refreshIfShown);
      break;
    case 'user-wrote':
    case 'message-edited':
    case 'message-accepted':
    case 'status-changed':
      putMessage(entry.contact, entry.message, ['user-wrote', 'message-accepted'].includes(entry.type));
      refreshIfShown(entry.message.id);
      break;
    case 'webhook-attempt':
      readEvent(entry.delivery.event).messageIds.forEach(refreshIfShown);
      refreshFaults();
      break;
    case 'call':
      refreshFaults();
      if (store.get().route.selection?.kind === 'request') refreshTimeline();
      break;
    case 'clock-moved':
      store.set({ clockOffsetMs: Date.parse(entry.now) - Date.now() });
      break;
    case 'reset':
      erasedContacts.clear();
      store.set({ users: { byContact: new Map() } });
      restartFirstRun();
      replaceRoute({ user: undefined, selection: undefined });
      return 'reload';
    case 'gap':
      return 'reload';
    case 'event-published':
    case 'webhook-changed':
    case 'access-tokens-changed':
      break;
  }
  return 'applied';
};

/** A message that changes may be on a page that is not loaded, or be of an earlier user of the address. */
const putMessage = (contact: string, message: Message, isNew: boolean): void => {
  const { users, route, conversation } = store.get();
  const isListed = isNew || conversation.messages.some(({ id }) => id === message.id);
  if (contact === route.user && isListed) store.set({ conversation: withMessage(conversation, message) });
  const row = users.byContact.get(contact);
  if (row === undefined || (!isNew && row.lastMessage?.id !== message.id)) return;
  store.set({ users: withUser(users, row, message) });
};

const refreshIfShown = (messageId: string | undefined): void => {
  const { route, timeline } = store.get();
  if (messageId === undefined) return;
  if (route.selection?.id === messageId || timeline?.message?.id === messageId) refreshTimeline();
};
