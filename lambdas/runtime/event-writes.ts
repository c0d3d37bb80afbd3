import type { Consent } from '../domain/consent.ts';
import { ItemBusyError, idOfAnotherContact, WriteRefusedError } from '../domain/errors.ts';
import { NO_REASON } from '../domain/failure.ts';
import { isFromOperator, type OperatorEchoes, operatorMessageAt } from '../domain/handovers/operator-echo.ts';
import { msBetween } from '../domain/instant.ts';
import { consentIn, type Keywords } from '../domain/keywords/keywords.ts';
import { statedModification } from '../domain/message-version.ts';
import { canStartFrom } from '../domain/send-transitions.ts';
import type { Traceparent } from '../domain/trace-context.ts';
import type { Echo, InboundMessage, StatusChange, WebhookEvent } from '../domain/webhook-event.ts';
import type { Clock, ContactRepository, Failed, MessageRepository, RecordedMessage, SendRepository } from '../ports.ts';
import { customerWriteOf, recordConsent, type Seen } from './customer-writes.ts';
import { recordSentMessage } from './record-sent-message.ts';
import { type Turn, turnOf } from './turns/turn-of.ts';

/** Where events are stored. */
export interface EventRepositories {
  readonly contacts: Pick<ContactRepository, 'linkCustomer' | 'openWindow' | 'recordConsent' | 'recordOperatorMessage'>;
  readonly messages: Pick<
    MessageRepository,
    'recordInbound' | 'recordEcho' | 'recordStatus' | 'recordOutbound' | 'recordUnknown' | 'recordUnknownName'
  >;
  readonly sends: Pick<SendRepository, 'confirm' | 'fail' | 'linkMessage'>;
}

/** What a write returns. */
export interface Written {
  /** The trace of the item of a status's message. */
  readonly traceparent?: Traceparent;
  /** The chat service has not sent events with this name before, or only in the last few minutes. */
  readonly hasNewName?: true;
}

/** A write of an event. */
export type Write = (repositories: EventRepositories) => Promise<Written | undefined>;

/** What the stage's settings add to the meaning of an event. */
export interface Meanings {
  readonly clock: Clock;
  /** The keywords by which users opt out and in. */
  readonly keywords: Keywords | undefined;
  /** How the echoes of operators' messages are recognized. */
  readonly operatorEchoes: OperatorEchoes | undefined;
  /** Whether messages are added to turns. */
  readonly turns: boolean;
}

/** Returns the writes of an event, which run concurrently. */
export const writesOf = (event: WebhookEvent, meanings: Meanings, seen: Seen): readonly Write[] => {
  const { clock } = meanings;
  switch (event.kind) {
    case 'message':
      return writesOfMessage(event, meanings);
    case 'echo':
      return [
        writeOfEcho(event, meanings.operatorEchoes),
        ...writesOfCustomer(customerWriteOf(event, event.contact, clock, seen)),
        ...(event.transactionId === undefined
          ? []
          : [async (repositories: EventRepositories) => void (await reportToTransaction(repositories, event))]),
      ];
    case 'status': {
      const { message } = event;
      return [
        async (repositories) => {
          const { requestId, traceparent, failed } = await repositories.messages.recordStatus(event);
          // If the send is known, only a failure adds something new.
          if (requestId === undefined) await reportToTransaction(repositories, event);
          else if (failed !== undefined) await reportFailure(repositories, event, requestId, failed);
          return { traceparent };
        },
        ...writesOfRequest(event),
        ...(message === undefined
          ? writesOfCustomer(customerWriteOf(event, event.subject, clock, seen))
          : writesOf(message, meanings, seen)),
      ];
    }
    case 'unknown':
      return [
        async ({ messages }) => void (await messages.recordUnknown(event)),
        // The first delivered event of a name is to be noticed, whatever an import has brought before.
        ...(event.isImported ? [] : [writeOfName(event.name, meanings, seen)]),
      ];
  }
};

const writeOfName =
  (name: string, { clock }: Meanings, { names }: Seen): Write =>
  async ({ messages }) => {
    const now = clock.now();
    const firstSeenAt = names.get(name) ?? (await messages.recordUnknownName(name, now));
    if (names.size < MAX_SEEN_NAMES) names.set(name, firstSeenAt);
    return msBetween(firstSeenAt, now) < NEW_NAME_MS ? { hasNewName: true } : undefined;
  };

/** How long a name counts as new: if a function dies before it counts the first event, a later one is counted. */
const NEW_NAME_MS = 10 * 60 * 1000;
/** More names than a service uses. Any others are recorded again each time. */
const MAX_SEEN_NAMES = 100;

const writesOfCustomer = (write: ReturnType<typeof customerWriteOf>): readonly Write[] =>
  write === undefined ? [] : [async ({ contacts }) => void (await write(contacts))];

const writesOfRequest = (event: StatusChange): readonly Write[] => {
  const { requestId } = event;
  return requestId === undefined
    ? []
    : [async (repositories) => void (await reportToSend(repositories, event, requestId))];
};

/**
 * A message or a status can name its send by the id that the chat service gave the call. If the answer to the call has
 * not been recorded yet, whoever records it finds the message's id here.
 */
const reportToTransaction = async (repositories: EventRepositories, event: Echo | StatusChange): Promise<void> => {
  const { transactionId, id, time } = event;
  if (transactionId === undefined) return;
  const { requestId } = await repositories.sends.linkMessage(transactionId, { messageId: id, at: time.at });
  if (requestId !== undefined) await reportToSend(repositories, event, requestId);
};

const writesOfMessage = (event: InboundMessage, { clock, turns, keywords }: Meanings): readonly Write[] => {
  const turn = turns ? turnOf(event, clock) : undefined;
  const consent = keywords && consentIn(event, keywords);
  const recordMessage: Write = async ({ messages }) => void (await messages.recordInbound(event, turn));
  if (!event.opensWindow) return [recordMessage];
  // A repetition can have another time than the first delivery: that of its own arrival, or its own time, which was in
  // the future before. The window and the consent take that of the message's item. So does an imported message, which
  // may be stored with a time that its history does not have.
  if (event.time.source === 'arrival' || consent !== undefined || event.isImported) {
    return [async (repositories) => void (await writeAsOfItem(repositories, event, { turn, keywords }))];
  }
  return [recordMessage, async ({ contacts }) => void (await contacts.openWindow(event))];
};

const writeOfEcho = (event: Echo, operatorEchoes: OperatorEchoes | undefined): Write => {
  const { contact } = event;
  if (contact === undefined || operatorEchoes === undefined || !isFromOperator(event, operatorEchoes)) {
    return async ({ messages }) => void (await messages.recordEcho(event));
  }
  // A repetition can have a later time, if the event has none of its own, so the time is that of the echo's item.
  return async ({ messages, contacts }) => {
    const at = await messages.recordEcho(event);
    await contacts.recordOperatorMessage(contact, operatorMessageAt(at, operatorEchoes));
    return undefined;
  };
};

/** What the writes of a message depend on besides its event. */
interface MessageMeaning {
  readonly turn: Turn;
  readonly keywords: Keywords | undefined;
}

/** Opens the window and records the consent even if the table refuses the message itself. */
const writeAsOfItem = async (
  repositories: EventRepositories,
  event: InboundMessage,
  { turn, keywords }: MessageMeaning,
): Promise<void> => {
  const { messages, contacts } = repositories;
  const writeAsOf = async (recorded: RecordedMessage) => {
    const message = { ...event, time: { ...event.time, at: recorded.at } };
    const given = keywords && consentOf(event, recorded, keywords);
    if (given === undefined) await contacts.openWindow(message);
    else await recordConsent(contacts, message, given);
  };
  let recorded: RecordedMessage;
  try {
    recorded = await messages.recordInbound(event, turn);
  } catch (error) {
    // Unless the table can never accept the message, its item may have an earlier time. A keyword with a time of its own
    // does not wait for a turn that is busy or full.
    const isTurnBusy = error instanceof ItemBusyError && event.time.source !== 'arrival';
    if (error instanceof WriteRefusedError || isTurnBusy) await writeAsOf({ at: event.time.at });
    throw error;
  }
  await writeAsOf(recorded);
};

/**
 * Returns the consent in a version of a message. An opt-out counts as of the version's modification, because the user may
 * have opted in since the message was created. An edit is no opt-in: the service itself can change a message. Depends on
 * no other version, so that the consents of all versions do not depend on their order.
 */
const consentOf = (
  event: InboundMessage,
  { at, version }: RecordedMessage,
  keywords: Keywords,
): Consent | undefined => {
  const given = consentIn(event, keywords);
  const stated = event.isImported ? undefined : statedModification(event);
  const modifiedAt = version?.modifiedAt ?? stated ?? at;
  const asOfMessage = given && { ...given, at, recordedAt: at };
  if (given === undefined || modifiedAt <= at) return asOfMessage;
  if (given.kind === 'opt-in') return version === undefined ? asOfMessage : undefined;
  const { ownAt } = given;
  const isOwnLater = ownAt !== undefined && modifiedAt > ownAt;
  return { ...given, at: modifiedAt, recordedAt: modifiedAt, ...(isOwnLater && { ownAt: modifiedAt }) };
};

/**
 * Confirms the send that an event belongs to, because a message with an event was accepted, and records that it failed
 * if the event says so. The event may arrive while the call is still waiting for its answer, after the send became
 * `uncertain`, or more than once.
 */
const reportToSend = async (
  { messages, sends }: EventRepositories,
  event: Echo | StatusChange,
  requestId: string,
): Promise<void> => {
  const { id: messageId, time } = event;
  const failed = failureOf(event);
  const message = await sends.confirm(requestId, { messageId, at: time.at });
  const recorded = message && (await recordSentMessage({ messages, sends }, message));
  if (failed !== undefined) await sends.fail(requestId, { messageId, ...failed });
  if (recorded === 'other-user') throw idOfAnotherContact(messageId);
};

/**
 * Reports the failure of a send's own message. It confirms the send only if the answer to the call has not been recorded
 * yet: otherwise, when the send was accepted would depend on the order of its statuses.
 */
const reportFailure = async (
  repositories: EventRepositories,
  event: StatusChange,
  requestId: string,
  failed: Failed,
): Promise<void> => {
  const result = await repositories.sends.fail(requestId, { messageId: event.id, ...failed });
  if (result.kind === 'conflict' && !canStartFrom('fail', result.send.state))
    await reportToSend(repositories, event, requestId);
};

const failureOf = (event: Echo | StatusChange): Failed | undefined =>
  event.kind === 'status' && event.status === 'failed'
    ? { at: event.time.at, failure: event.failure ?? NO_REASON }
    : undefined;
