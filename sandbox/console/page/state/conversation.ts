import { type Conversation, EMPTY_CONVERSATION, notice, store } from './console-state.ts';
import { ask, userPath } from './service.ts';
import type { Message } from './shapes.ts';

/** How many messages the phone holds at once; a page of them is fetched at a time. */
const HELD = 150;
const PAGE = 50;

type Page = { messages: readonly Message[]; before: string | null };

const fetchPage = (contact: string, before?: string) =>
  ask<Page>('GET', `${userPath(contact)}/conversation?limit=${PAGE}${before ? `&before=${before}` : ''}`);

/** The latest page of the chosen user's conversation. */
export const loadLatest = async (): Promise<void> => {
  const { user } = store.get();
  if (user === undefined) return store.set({ conversation: EMPTY_CONVERSATION });
  const page = await fetchPage(user);
  if (store.get().user !== user) return;
  if (page.ok) store.set({ conversation: { ...page.value, isAtEnd: true } });
  else notice(page.why, true);
};

export const loadEarlier = async (): Promise<void> => {
  const { user, conversation } = store.get();
  if (user === undefined || conversation.before === null) return;
  const page = await fetchPage(user, conversation.before);
  if (store.get().user !== user) return;
  if (!page.ok) return notice(page.why, true);
  const messages = [...page.value.messages, ...store.get().conversation.messages];
  const isAtEnd = store.get().conversation.isAtEnd && messages.length <= HELD;
  store.set({ conversation: { messages: messages.slice(0, HELD), before: page.value.before, isAtEnd } });
};

/** The conversation after one message came or changed. */
export const withMessage = (conversation: Conversation, message: Message): Conversation => {
  const { messages, before, isAtEnd } = conversation;
  const index = messages.findLastIndex(({ id }) => id === message.id);
  if (index >= 0) return { ...conversation, messages: messages.with(index, message) };
  if (!isAtEnd) return conversation;
  const kept = [...messages, message].slice(-HELD);
  return { messages: kept, before: kept.length > messages.length ? before : (kept[0]?.id ?? before), isAtEnd };
};
