import { callApi, inspectorPath, type Message, type SendSummary, userPath } from './api.ts';
import { type Conversation, EMPTY_CONVERSATION, showError, store } from './console-state.ts';

/** How many messages the page keeps in memory. */
const MAX_MESSAGES = 150;
const PAGE_SIZE = 50;
const MAX_SENDS = 200;

/** Loads the selected user's latest messages and requests. */
export const loadSelectedUser = (): Promise<unknown> => Promise.all([loadLatestMessages(), loadSends()]);

export const loadLatestMessages = async (): Promise<void> => {
  const { user: contact } = store.get().route;
  if (contact === undefined) return store.set({ conversation: EMPTY_CONVERSATION });
  const page = await fetchPage(contact);
  if (store.get().route.user !== contact) return;
  if (page.ok) store.set({ conversation: { ...page.value, isAtEnd: true } });
  else showError(page.error);
};

/** Prepends a page of earlier messages, dropping the latest ones if there are too many. */
export const loadEarlierMessages = async (): Promise<void> => {
  const { route, conversation } = store.get();
  const contact = route.user;
  if (contact === undefined || conversation.before === null) return;
  const page = await fetchPage(contact, conversation.before);
  if (store.get().route.user !== contact) return;
  if (!page.ok) return showError(page.error);
  const messages = [...page.value.messages, ...store.get().conversation.messages];
  const isAtEnd = store.get().conversation.isAtEnd && messages.length <= MAX_MESSAGES;
  store.set({ conversation: { messages: messages.slice(0, MAX_MESSAGES), before: page.value.before, isAtEnd } });
};

/** Returns the conversation with a message updated or appended. */
export const withMessage = (conversation: Conversation, message: Message): Conversation => {
  const { messages, before, isAtEnd } = conversation;
  const index = messages.findLastIndex(({ id }) => id === message.id);
  if (index >= 0) return { ...conversation, messages: messages.with(index, message) };
  if (!isAtEnd) return conversation;
  const kept = [...messages, message].slice(-MAX_MESSAGES);
  return { messages: kept, before: kept.length > messages.length ? before : (kept[0]?.id ?? before), isAtEnd };
};

/** Adds or updates a request in the selected user's list; ignores other users' requests. */
export const putSend = (send: SendSummary): void => {
  const { route, sends } = store.get();
  const contact = route.user;
  if (contact === undefined || withoutPlus(send.platformContactId ?? '') !== withoutPlus(contact)) return;
  const others = sends.filter(({ requestId }) => requestId !== send.requestId);
  store.set({ sends: [send, ...others].slice(0, MAX_SENDS) });
};

const loadSends = async (): Promise<void> => {
  const { route, hasInspector } = store.get();
  const contact = route.user;
  if (!hasInspector || contact === undefined) return store.set({ sends: [] });
  const path = inspectorPath(`sends?contact=${encodeURIComponent(contact)}`);
  const result = await callApi<{ sends: readonly SendSummary[] }>('GET', path);
  if (result.ok && store.get().route.user === contact) store.set({ sends: result.value.sends });
};

type Page = { messages: readonly Message[]; before: string | null };

const fetchPage = (contact: string, before?: string) =>
  callApi<Page>(
    'GET',
    `${userPath(contact)}/conversation?limit=${PAGE_SIZE}${before ? `&before=${encodeURIComponent(before)}` : ''}`,
  );

const withoutPlus = (contact: string): string => contact.replace(/^\+/, '');
