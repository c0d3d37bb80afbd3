import { hasOpenWindow } from '../phone/open-windows.ts';
import { type Message, type UserRow, userPath } from '../state/api.ts';
import { serviceTime, store } from '../state/console-state.ts';
import { enqueueRequest, type RequestContent } from '../state/enqueue.ts';
import type { Selection } from '../state/route.ts';
import { ActionError, call, type Expected, untilSent, untilStored } from './waiting.ts';

/** Reports progress. */
export type Say = (running: string) => void;

/** An action of the tour, for a user. Returns what the page should show. @throws ActionError if it fails. */
export type Action = (contact: string, say: Say) => Promise<Selection | undefined>;

const QUESTION = 'Where is my *parcel*?';

/** Writes as the user, and waits until Parley has stored the message. */
export const write = async (contact: string, say: Say, text = QUESTION): Promise<Selection> => {
  say(`Sending a message from ${nameOf(contact)}…`);
  const { _id_: id } = await call<{ _id_: string }>('POST', `${userPath(contact)}/messages`, { text });
  if (store.get().hasInspector) {
    say('Parley is verifying the webhook event and storing the message…');
    await untilStored(id);
  }
  return { kind: 'message', id };
};

/** Parley decides by its table, so the user's message must be stored first. */
export const openWindow = async (contact: string, say: Say): Promise<unknown> => {
  const user = userOf(contact);
  if (user === undefined || !hasOpenWindow(user, serviceTime())) return write(contact, say);
  const page = await call<{ messages: readonly Message[] }>('GET', `${userPath(contact)}/conversation?limit=50`);
  const latest = page.messages.findLast(({ direction }) => direction === 'in');
  return latest === undefined ? write(contact, say) : untilStored(latest.id);
};

/** Queues a request, and waits until it has the expected state. */
export const send = async (contact: string, content: RequestContent, expected: Expected): Promise<Selection> => {
  const id = await enqueue(contact, content);
  await untilSent(id, expected);
  return { kind: 'request', id };
};

/** Queues a request, and returns its ID. */
export const enqueue = async (...args: Parameters<typeof enqueueRequest>): Promise<string> => {
  const enqueued = await enqueueRequest(...args);
  if (!enqueued.ok) throw new ActionError(enqueued.error);
  return enqueued.value;
};

export const nameOf = (contact: string): string => userOf(contact)?.name || contact;

export const userOf = (contact: string): UserRow | undefined => store.get().users.byContact.get(contact);
