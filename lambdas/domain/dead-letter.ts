import { isPhone } from './address.ts';
import { isBuffered } from './buffered-request.ts';
import { ANY_CHANNEL, contactRef, type DataSubject } from './contact.ts';
import { type QueuedErasure, queuedErasure } from './erasure.ts';
import { addMs, type Instant } from './instant.ts';
import { isKeyPart } from './key-part.ts';
import { maskNumbers } from './mask-numbers.ts';
import { discardedBatchReason } from './publish-failure.ts';
import * as z from './schema.ts';
import { parseSerializedRequest, readBufferedRequest } from './serialized-request.ts';
import type { Traceparent } from './trace-context.ts';
import { CUSTOMER_FIELDS, namesUser, readUser, USER_FIELDS } from './webhook-formats/formats.ts';
import { isFields } from './webhook-formats/webhook-format.ts';
import { ENVELOPES, openEnvelope, withoutEnvelope } from './webhook-request.ts';

/** The dead-letter queues whose messages are kept: those that hold the only copy of something. */
export const KEPT_QUEUES = ['send', 'bulk', 'inbound', 'schedules', 'erasures'] as const;
export type KeptQueue = (typeof KEPT_QUEUES)[number];

/**
 * All dead-letter queues of a stack. `publishing` has changes that were not published as events, and `targets` has
 * events that a target did not accept. Both are copies of what the table has, so they are not kept.
 */
export const DEAD_LETTER_QUEUES = [...KEPT_QUEUES, 'publishing', 'targets'] as const;
export type DeadLetterQueueName = (typeof DEAD_LETTER_QUEUES)[number];

/** A message that failed, and the reason. */
export interface DeadLetter<Queue extends DeadLetterQueueName = KeptQueue> {
  readonly id: string;
  readonly queue: Queue;
  readonly reason: string;
  readonly body: string;
  readonly groupId?: string;
  /** The trace that the message names in an attribute. */
  readonly traceparent?: Traceparent;
  /** When the message was first put on a queue. */
  readonly since: Instant;
}

/**
 * When a dead letter moves from its queue to the table. SQS deletes a message 14 days after it was first sent, so the
 * daily runs can fail for a week before anything is lost.
 */
export const KEEP_AFTER_MS = 7 * 24 * 60 * 60 * 1000;

/** Covers the function's timeout, and a write that takes effect after the SDK has repeated it or given up on it. */
const MAX_KEEP_MS = 90_000;

/** Whether the function that began to move a dead letter to the table at `keptAt` must have ended, with all its writes. */
export const isKept = (keptAt: Instant, now: Instant): boolean => keptAt <= addMs(now, -MAX_KEEP_MS);

/** The reason of a message that SQS moved itself: its redrive policy adds none. */
const MAX_RECEIVES_EXCEEDED = 'maximum receives exceeded';

/** The reason of a webhook request that SQS moved itself before `receive` could verify it. */
const NEVER_VERIFIED =
  'unverified: maximum receives exceeded before the request could be verified. Anyone can have sent it; a redrive ' +
  'verifies it.';

const MAX_MESSAGE_CHARACTERS = 500;

/**
 * Returns why a message is a dead letter: from its attributes, which are Parley's own or those of EventBridge, or from
 * the body that Lambda writes about changes that it gave up on.
 *
 * Sources: https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html and
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
 */
export const deadLetterReason = (attributes: Readonly<Record<string, string | undefined>>, body: string): string => {
  const { reason, ERROR_CODE, ERROR_MESSAGE, EXHAUSTED_RETRY_CONDITION: condition, RETRY_ATTEMPTS = '?' } = attributes;
  if (reason !== undefined) return reason;
  const message = ERROR_MESSAGE && maskNumbers(ERROR_MESSAGE).slice(0, MAX_MESSAGE_CHARACTERS);
  const parts = [ERROR_CODE, message].filter((part) => part !== undefined);
  if (parts.length === 0) {
    return discardedBatchReason(body) ?? (isBuffered(body) ? NEVER_VERIFIED : MAX_RECEIVES_EXCEEDED);
  }
  const retries = condition === undefined ? '' : ` (${condition}, ${RETRY_ATTEMPTS} retries)`;
  return `${parts.join(': ')}${retries}${targetIn(attributes)}`;
};

/** Names the target of a rule. The target of a schedule is always the send queue. */
const targetIn = ({ RULE_ARN, TARGET_ARN }: Readonly<Record<string, string | undefined>>): string =>
  RULE_ARN === undefined || TARGET_ARN === undefined ? '' : `, target ${TARGET_ARN}`;

/** An item of the table refers to each subject, so their number is limited. */
const MAX_SUBJECTS = 50;

/**
 * Returns the contacts and the customers that a dead letter may be about, so that an erasure finds it. Windows per
 * business number do not matter here, so the contacts have no channel.
 *
 * A body that names its contact is about that contact and the customer that it names. In any other body, every number
 * and every field that would name a contact counts: it is better to delete a malformed event with an erased number than
 * to keep the number.
 */
export const subjectsOf = (
  { queue, body, groupId }: Pick<DeadLetter, 'queue' | 'body' | 'groupId'>,
  chatPlatform: string,
): readonly DataSubject[] => {
  const text = queue === 'inbound' ? eventText(body) : body;
  const json = z.parseJson(text);
  const erasure = queue === 'erasures' ? z.safeParse(queuedErasure, json).data : undefined;
  if (erasure !== undefined) return subjectsErased(erasure);
  const named = z.safeParse(namesContact, json).data;
  const event = isFields(json) ? readUser(json) : undefined;
  const address = event?.user ?? named?.platformContactId ?? named?.MessageGroupId;
  const platform = (event?.chatPlatform ?? named?.chatPlatform) || chatPlatform;
  const addresses =
    address === undefined
      ? [...fieldsIn(text), ...numbersIn(text), ...(groupId === undefined ? [] : [groupId])]
      : [address];
  const contacts = addresses.map((one) => contactRef(platform, one));
  const customerIds = customersIn(text);
  // A message group is that of an address or of a customer.
  const group =
    (event?.user ?? named?.platformContactId) === undefined ? (named?.MessageGroupId ?? groupId) : undefined;
  const groups = customerIds.length === 0 && group !== undefined && isKeyPart(group) ? [group] : [];
  const customers = [...customerIds, ...groups].map((customerId) => ({ platform, customerId }));
  const subjects = [...customers, ...new Map(contacts.map((contact) => [contact.key, contact])).values()];
  return subjects.slice(0, MAX_SUBJECTS);
};

/** Whose data an erasure erases. The others that it names stay. */
export const subjectsErased = ({ contact, customers }: QueuedErasure): readonly DataSubject[] =>
  contact === undefined ? customers : [{ ...contact, channel: ANY_CHANNEL }];

const text = z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(1024))), undefined);

/** How a send request and the input of a schedule's target name their contact. */
const namesContact = z.object({ platformContactId: text, chatPlatform: text, MessageGroupId: text });

/**
 * Returns an inbound event without its envelope, or as much of it as can be read. Tries every envelope, because older
 * requests do not name theirs, and an erasure must find the contact in all of them.
 */
const eventText = (body: string): string => {
  const verified = parseSerializedRequest(body);
  const buffered = readBufferedRequest(body, verified);
  const request = buffered ? { ...buffered, rawBody: buffered.unverifiedBody } : verified;
  if (request === undefined) return body;
  const event = ENVELOPES.map((envelope) => withoutEnvelope({ envelope, ...request })).find(
    ({ rawBody }) => rawBody !== request.rawBody,
  );
  const opened = openEnvelope(event ?? request);
  return opened.kind === 'opened' ? opened.eventBody : (event ?? request).rawBody.toString('latin1');
};

const SUBJECT_FIELD = new RegExp(
  `"(?:${[...USER_FIELDS, 'platformContactId', 'MessageGroupId'].join('|')})"\\s*:\\s*("(?:[^"\\\\]|\\\\.){1,1024}")`,
  'g',
);

/** Returns the addresses in the fields that name a contact, also of JSON that ends early or is otherwise malformed. */
const fieldsIn = (body: string): readonly string[] =>
  [...body.matchAll(SUBJECT_FIELD)].flatMap(([, literal = '']) => {
    const address = z.parseJson(literal);
    return typeof address === 'string' && namesUser(address) ? [address] : [];
  });

const CUSTOMER_FIELD = new RegExp(
  `"(?:${[...CUSTOMER_FIELDS].join('|')})"\\s*:\\s*("(?:[^"\\\\]|\\\\.){1,1024}"|\\d{1,16})`,
  'g',
);

/** Returns the customer IDs that a body names, also one that is malformed, each of them once. */
const customersIn = (body: string): readonly string[] => [
  ...new Set(
    [...body.matchAll(CUSTOMER_FIELD)].flatMap(([, literal = '']) => {
      const customerId = String(z.parseJson(literal));
      return isKeyPart(customerId) ? [customerId] : [];
    }),
  ),
];

/** Digits with punctuation between them can be one number, or several. */
const numbersIn = (body: string): readonly string[] =>
  [...body.matchAll(/\+?\d[\d ().-]{4,}\d/g)].flatMap(([text]) =>
    [text.replace(/\D/g, ''), ...(text.match(/\d+/g) ?? [])].filter(isPhone),
  );
