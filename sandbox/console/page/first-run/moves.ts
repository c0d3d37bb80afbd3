import { hasOpenWindow } from '../phone/open-windows.ts';
import { type ApiResult, callApi, type Message, type UserRow, userPath } from '../state/api.ts';
import { serviceTime, store } from '../state/console-state.ts';
import { enqueueRequest, type RequestContent } from '../state/enqueue.ts';
import type { Selection } from '../state/route.ts';
import { type Expected, untilSent, untilStored } from './waiting.ts';

/** Reports progress. */
export type Say = (running: string) => void;

/** What an action created and the page should show, or why the action failed. */
export type Outcome = Promise<ApiResult<Selection | undefined>>;

/** An action of the tour, for a user. */
export type Action = (contact: string, say: Say) => Outcome;

const QUESTION = 'Where is my *parcel*?';

/** Writes as the user, and waits until Parley has stored the message. */
export const write = async (contact: string, say: Say, text = QUESTION): Promise<ApiResult<Selection>> => {
  say(`Sending a message from ${nameOf(contact)}…`);
  const wrote = await callApi<{ _id_: string }>('POST', `${userPath(contact)}/messages`, { text });
  if (!wrote.ok) return wrote;
  const selection = { kind: 'message', id: wrote.value._id_ } as const;
  if (!store.get().hasInspector) return { ok: true, value: selection };
  say('Parley is verifying the webhook event and storing the message…');
  const stored = await untilStored(wrote.value._id_);
  return stored.ok ? { ok: true, value: selection } : stored;
};

/** Parley decides by its table, so the user's message must be stored first. */
export const openWindow = async (contact: string, say: Say): Promise<ApiResult<unknown>> => {
  const user = userOf(contact);
  if (user === undefined || !hasOpenWindow(user, serviceTime())) return write(contact, say);
  const page = await callApi<{ messages: readonly Message[] }>('GET', `${userPath(contact)}/conversation?limit=50`);
  if (!page.ok) return page;
  const latest = page.value.messages.findLast(({ direction }) => direction === 'in');
  return latest === undefined ? write(contact, say) : untilStored(latest.id);
};

/** Queues a request, and waits until it has the expected state. */
export const send = async (
  contact: string,
  content: RequestContent,
  expected: Expected,
): Promise<ApiResult<Selection>> => {
  const enqueued = await enqueueRequest(contact, content);
  if (!enqueued.ok) return enqueued;
  const sent = await untilSent(enqueued.value, expected);
  return sent.ok ? { ok: true, value: { kind: 'request', id: enqueued.value } } : sent;
};

export const nameOf = (contact: string): string => userOf(contact)?.name || contact;

export const userOf = (contact: string): UserRow | undefined => store.get().users.byContact.get(contact);
