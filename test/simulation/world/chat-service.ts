import { contactKey } from '../../../lambdas/domain/contact.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A message that reached a user. */
export interface Effect {
  readonly id: string;
  /** The id of the job that sent it, if the service answers with one. */
  readonly transactionId?: string;
  readonly at: number;
  readonly contact: string;
  readonly endpoint: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface HttpAnswer {
  readonly httpStatus: number;
  readonly body: unknown;
}

/** The chat service as the contract describes it, with its own clock and its own record of what users wrote. */
export interface SimulatedChatService {
  /** Every message that reached a user, oldest first. */
  readonly effects: readonly Effect[];
  /** Answers a POST. `path` is the part below `/api/v1.0/`. */
  post(path: string, accessToken: string, body: unknown): HttpAnswer;
  /** A user writes. @param at when; the chat service's own time by default */
  userWrites(contact: string, at?: number): void;
  setCredit(hasCredit: boolean): void;
  setToken(token: string): void;
  /** A user joins or leaves the platform. */
  setOnPlatform(contact: string, isOnPlatform: boolean): void;
  isOnPlatform(contact: string): boolean;
  setTemplate(name: string, isApproved: boolean): void;
  /** Identifies everything that decides its answers, and what reached users. */
  key(): string;
}

export interface ChatServiceOptions {
  readonly clock: VirtualClock;
  readonly accessToken: string;
  readonly approvedTemplates: readonly string[];
  /** How far its clock is ahead of Parley's. @default 0 */
  readonly clockAheadMs?: number;
  /** The numbers that are not on the platform. */
  readonly absentContacts?: readonly string[];
  /** Requests whose text contains this are refused with problems. */
  readonly refusedText?: string;
  /** Whether the answer to an accepted `intent/v2` names no message. @default false */
  readonly answersIntentsWithoutId?: boolean;
  /** Whether a send is answered with 202 and the id of a job, which names no message. @default false */
  readonly answersWithJob?: boolean | undefined;
  /** How much earlier than the contract says it closes a window. @default 0 */
  readonly closesEarlyMs?: number;
  /** Chooses the id of a message. @default `message-1`, and so on */
  readonly newId?: (body: Readonly<Record<string, unknown>>) => string;
}

/** The contract's Limits: "User conversation window: 24 hours since the user's last message". */
const WINDOW_MS = 24 * 60 * 60 * 1000;

export const createSimulatedChatService = (options: ChatServiceOptions): SimulatedChatService => {
  const { clock, clockAheadMs = 0, absentContacts = [], refusedText, answersIntentsWithoutId = false } = options;
  const { answersWithJob = false, closesEarlyMs = 0, newId = () => `message-${effects.length + 1}` } = options;
  const approvedTemplates = new Set(options.approvedTemplates);
  const effects: Effect[] = [];
  const lastWroteAt = new Map<string, number>();
  let { accessToken } = options;
  let hasCredit = true;
  /** Written only for the searches, which ask for it. */
  let writtenEffects = 0;
  let effectsKey = '';
  const now = () => clock.ms + clockAheadMs;
  const absent = new Set(absentContacts.map(contactKey));

  const deliver = (endpoint: string, body: Readonly<Record<string, unknown>>): HttpAnswer => {
    const id = newId(body);
    const transactionId = `transaction-of-${id}`;
    const job = answersWithJob ? { transactionId } : {};
    effects.push({ id, ...job, at: now(), contact: contactKey(String(body.platformContactId)), endpoint, body });
    if (answersWithJob) return { httpStatus: 202, body: { webhookNotificationId: transactionId } };
    const named = endpoint === 'intent/v2' && answersIntentsWithoutId ? {} : { id };
    return { httpStatus: 200, body: { ...named, problems: null } };
  };

  return {
    effects,
    post(path, token, body) {
      if (token !== accessToken) return { httpStatus: 401, body: undefined };
      if (!isRecord(body)) return problem(1, 'Invalid body');
      if (path === 'customer/checkChatContact') return checkContacts(body.contacts, absent);
      if (typeof body.platformContactId !== 'string') return problem(1, 'Invalid contact');
      if (refusedText !== undefined && JSON.stringify(body).includes(refusedText))
        return problem(304, 'Invalid channel');
      if (!hasCredit) return error(403, 101, 'Insufficient credit');
      switch (path) {
        case 'message/v3': {
          const wroteAt = lastWroteAt.get(contactKey(body.platformContactId));
          const isOpen = wroteAt !== undefined && now() - wroteAt < WINDOW_MS - closesEarlyMs;
          return isOpen ? deliver(path, body) : error(400, 201, 'User window is over 24 hours');
        }
        case 'intent/v2':
          return approvedTemplates.has(String(body.ruleNameOrId)) ? deliver(path, body) : problem(305, 'Unknown rule');
        default:
          return { httpStatus: 404, body: undefined };
      }
    },
    userWrites(contact, at = now()) {
      lastWroteAt.set(contactKey(contact), at);
    },
    setCredit(has) {
      hasCredit = has;
    },
    setOnPlatform(contact, isOnPlatform) {
      if (isOnPlatform) absent.delete(contactKey(contact));
      else absent.add(contactKey(contact));
    },
    isOnPlatform: (contact) => !absent.has(contactKey(contact)),
    setTemplate(name, isApproved) {
      if (isApproved) approvedTemplates.add(name);
      else approvedTemplates.delete(name);
    },
    setToken(token) {
      accessToken = token;
    },
    key() {
      for (; writtenEffects < effects.length; writtenEffects += 1)
        effectsKey += JSON.stringify(effects[writtenEffects]);
      return `${effectsKey}|${[...lastWroteAt].join()}|${accessToken}|${hasCredit}|${[...absent].join()}`;
    },
  };
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const problem = (code: number, message: string): HttpAnswer => ({
  httpStatus: 200,
  body: { problems: { code, message }, result: {} },
});

const error = (httpStatus: number, code: number, message: string): HttpAnswer => ({
  httpStatus,
  body: { error: { code, message } },
});

const checkContacts = (contacts: unknown, absent: ReadonlySet<string>): HttpAnswer => {
  const numbers = Array.isArray(contacts) ? contacts.map(String) : [];
  const present = numbers.filter((number) => !absent.has(contactKey(number)));
  const result = Object.fromEntries(present.map((number) => [number, number.replace(/\D/g, '')]));
  return { httpStatus: 200, body: { problems: null, result } };
};
