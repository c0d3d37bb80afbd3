import { legible, plainAddress } from '../../lambdas/domain/address.ts';
import { SEND_STATES } from '../../lambdas/domain/send-transitions.ts';
import type { SendFilter, SendList, SendStates } from '../../sandbox/base/inspector.ts';
import type { SendSummary } from '../../sandbox/base/trace.ts';

/** The latest sends in memory. */
export interface LatestSends {
  /** Adds a send, or replaces its earlier state. It is now the latest. Returns it with the status of its message. */
  add(send: SendSummary): SendSummary;
  /** Keeps the furthest status of a message, and returns its send, whose place in the list stays the same. */
  addStatus(messageId: string, status: string): SendSummary | undefined;
  find(filter: SendFilter): SendList;
  states(): SendStates;
}

/**
 * How many sends are kept. Older ones can still be read from the table by ID. A summary and its search text take 1 to 2
 * KB, so all of them take less than 20 MB.
 */
const MAX_SENDS = 10_000;
const MAX_FOUND = 200;

/** A send in the forms in which it is searched, because deriving them takes longer than the search itself. */
interface Entry {
  readonly send: SendSummary;
  readonly contact: string | undefined;
  readonly searchText: string;
}

/** Creates an empty list. It forgets the sends whose latest change is the oldest. */
export const createLatestSends = (maxSends = MAX_SENDS): LatestSends => {
  // Ordered by latest change, most recent last.
  const entries = new Map<string, Entry>();
  const counts = new Map<string, number>(SEND_STATES.map((state) => [state, 0]));
  // A status can be stored before its send. There can be statuses of other messages, such as operators'.
  const statuses = new Map<string, string>();
  const requestIds = new Map<string, string>();
  const count = (state: string, change: 1 | -1): void => void counts.set(state, (counts.get(state) ?? 0) + change);

  const remove = (requestId: string): void => {
    const entry = entries.get(requestId);
    if (entry === undefined) return;
    entries.delete(requestId);
    count(shownState(entry.send), -1);
    requestIds.delete(entry.send.messageId ?? '');
  };
  const put = (send: SendSummary): SendSummary => {
    const { requestId, messageId } = send;
    const status = messageId && send.state === 'accepted' ? statuses.get(messageId) : undefined;
    const shown = status ? { ...send, status } : send;
    if (messageId) requestIds.set(messageId, requestId);
    entries.set(requestId, entryOf(shown));
    count(shownState(shown), 1);
    return shown;
  };
  const states = (): SendStates => Object.fromEntries(counts);

  return {
    states,
    add(send) {
      remove(send.requestId);
      const added = put(send);
      const [oldest] = entries.keys();
      if (entries.size > maxSends && oldest !== undefined) remove(oldest);
      return added;
    },
    addStatus(messageId, status) {
      statuses.set(messageId, status);
      const [oldest] = statuses.keys();
      if (statuses.size > maxSends && oldest !== undefined) statuses.delete(oldest);
      const send = entries.get(requestIds.get(messageId) ?? '')?.send;
      if (send === undefined || send.status === status) return undefined;
      count(shownState(send), -1);
      return put(send);
    },
    find(filter) {
      const isSelected = selects(filter);
      const found = [...entries.values()].filter(isSelected);
      const latest = found.slice(-MAX_FOUND).reverse();
      return { sends: latest.map(({ send }) => send), total: found.length, states: states() };
    },
  };
};

/** What a send is listed as. */
const shownState = ({ state, status = state }: SendSummary): string => status;

const entryOf = (send: SendSummary): Entry => {
  const { requestId, messageId, platformContactId, customerId, text, ruleName, code } = send;
  const searched = [requestId, messageId, platformContactId, customerId, text, ruleName, code];
  return {
    send,
    contact: platformContactId && comparable(platformContactId),
    // The separator cannot be typed, so that nothing matches across two fields.
    searchText: searched.join('\0').toLowerCase(),
  };
};

const selects = ({ contact = '', state = '', since = '', text = '' }: SendFilter) => {
  const wantedContact = comparable(contact);
  const wantedText = text.trim().toLowerCase();
  const number = phoneDigits(text);
  return (entry: Entry): boolean =>
    (state === '' || shownState(entry.send) === state) &&
    (entry.send.firstAt ?? since) >= since &&
    (wantedContact === '' || entry.contact === wantedContact) &&
    (entry.searchText.includes(wantedText) || (number !== undefined && entry.contact?.includes(number) === true));
};

/** Returns the same text for all spellings of a phone number. */
const comparable = (contact: string): string => plainAddress(contact).replace(/^\+/, '');

/** Returns the digits of what looks like a phone number or a part of one: `+54 (911) 5555-0001`. */
const phoneDigits = (text: string): string | undefined => {
  const digits = comparable(legible(text)).replaceAll(/[\s().-]/g, '');
  return /^\d+$/.test(digits) ? digits : undefined;
};
