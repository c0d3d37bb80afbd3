import type { ReceivedMessage, UserContent } from './model.ts';
import { explainUnsupported, rejected, type UserMessageOutcome } from './receive-from-user.ts';
import type { Change, Moment, ServiceState } from './state.ts';
import { findUser, messagesOf } from './users.ts';

/** The new text and media of a message. What it does not name stays. */
export type MessageEdit = Partial<Pick<UserContent, 'text' | 'imageUrls' | 'audioUrls' | 'fileUrls'>>;

/** Stands for the ID of the user's latest message. */
const LATEST = 'latest';

/**
 * Edits a message that the user sent. The service delivers the message again, with the same ID and time. An edit opens
 * no window. The result is undefined if the user has sent no such message.
 */
export const editMessage = (
  state: ServiceState,
  { contact, id }: { readonly contact: string; readonly id: string },
  edit: MessageEdit,
  { now }: Moment,
): Change<UserMessageOutcome | undefined> => {
  const user = findUser(state, contact);
  const sent = messagesOf(state, contact).filter(isReceived);
  const message = id === LATEST ? sent.at(-1) : sent.find((one) => one.id === id);
  if (user === undefined || message === undefined) return { result: undefined, events: [] };
  if (!user.onPlatform) return rejected({ kind: 'refused', refusal: { reason: 'NOT_ON_PLATFORM', contact } });
  const { location, contacts, error, buttonPayload } = message;
  if ((location ?? contacts ?? error ?? buttonPayload) !== undefined) {
    return rejected({ kind: 'unsupported', sentence: 'Only messages with text or media can be edited.' });
  }
  const edited: ReceivedMessage = { ...message, ...edit, edits: [...(message.edits ?? []), now] };
  const sentence = explainUnsupported(state, edited);
  if (sentence !== undefined) return rejected({ kind: 'unsupported', sentence });
  state.messages.set(edited.id, edited);
  return {
    result: { kind: 'accepted', ids: [edited.id] },
    events: [{ kind: 'messages', messages: [{ user, message: edited }] }],
  };
};

const isReceived = (message: { readonly direction: 'in' | 'out' }): message is ReceivedMessage =>
  message.direction === 'in';
