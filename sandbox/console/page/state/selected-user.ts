import { callApi, encodeText, type Message, type User, userPath } from './api.ts';
import { type Conversation, EMPTY_CONVERSATION, showError, store } from './console-state.ts';
import { correctRoute } from './correct-route.ts';
import { withUser } from './users.ts';

/** How many messages the page keeps in memory. */
const MAX_MESSAGES = 150;
const PAGE_SIZE = 50;

/** Loads the selected user's latest messages. */
export const loadSelectedUser = async (): Promise<void> => {
  await loadLatestMessages();
  showStoredAddress();
};

/** Corrects the URL if it has the user's number in another form than the service. */
const showStoredAddress = (): void => {
  const { route, conversation } = store.get();
  const { contact } = conversation;
  if (contact && route.user !== undefined && contact !== route.user) correctRoute({ user: contact });
};

export const loadLatestMessages = async (): Promise<void> => {
  const { route, conversation } = store.get();
  const contact = route.user;
  if (contact === undefined) return store.set({ conversation: EMPTY_CONVERSATION });
  const page = await fetchPage(contact);
  if (store.get().route.user !== contact) return;
  if (!page.ok) return showError(page.error);
  const { user, messages, before } = page.value;
  const loaded = { messages, before, isAtEnd: true, contact: user?.contact ?? null };
  // The feed can bring a message before the response that does not contain it.
  const arrived = store.get().conversation.messages.filter((message) => !conversation.messages.includes(message));
  const latest = arrived.reduce(withMessage, loaded);
  store.set({ conversation: latest });
  // The list is loaded with the latest thousand users only.
  if (user !== null) store.set({ users: withUser(store.get().users, user, latest.messages.at(-1)) });
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
  const { before } = page.value;
  store.set({ conversation: { ...conversation, messages: messages.slice(0, MAX_MESSAGES), before, isAtEnd } });
};

/** Returns the conversation with a message updated or appended. */
export const withMessage = (conversation: Conversation, message: Message): Conversation => {
  const { messages, before, isAtEnd, contact } = conversation;
  const index = messages.findLastIndex(({ id }) => id === message.id);
  if (index >= 0) return { ...conversation, messages: messages.with(index, message) };
  if (!isAtEnd) return conversation;
  const kept = [...messages, message].slice(-MAX_MESSAGES);
  return { messages: kept, before: kept.length > messages.length ? before : (kept[0]?.id ?? before), isAtEnd, contact };
};

interface Page {
  readonly user: User | null;
  readonly messages: readonly Message[];
  readonly before: string | null;
}

const fetchPage = (contact: string, before?: string) =>
  callApi<Page>(
    'GET',
    `${userPath(contact)}/conversation?limit=${PAGE_SIZE}${before ? `&before=${encodeText(before)}` : ''}`,
  );
