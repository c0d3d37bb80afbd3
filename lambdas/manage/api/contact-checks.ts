import { isPhone } from '../../domain/address.ts';
import { INVALID_CHANNEL } from '../../domain/call-fault.ts';
import { type ContactDefaults, resolveContact } from '../../domain/contact.ts';
import { type CheckedContact, contactCheckOutcome, digitsOf } from '../../domain/contact-check.ts';
import type { SendRules } from '../../domain/decision.ts';
import { addMs, type Instant } from '../../domain/instant.ts';
import * as z from '../../domain/schema.ts';
import { formatNumber } from '../../domain/send-call.ts';
import type { ChatService, Clock, ContactRepository } from '../../ports.ts';
import { forEachConcurrently } from '../../runtime/concurrency.ts';
import { ok, problem, problemResponse } from './answer.ts';
import { defineRoute, ignoredQuery } from './define-route.ts';
import { channelNumber, contactFields } from './fields.ts';

export interface ContactCheckPorts {
  readonly chatService: Pick<ChatService, 'checkContacts'>;
  readonly contacts: Pick<ContactRepository, 'recordCheck'>;
  readonly clock: Clock;
  readonly contactDefaults: ContactDefaults;
  /** How phone numbers are written in calls. */
  readonly rules: Pick<SendRules, 'numberFormat'>;
}

export const MAX_CHECKED_CONTACTS = 1000;
/** The contract does not specify a limit, so this is a conservative one. */
const CONTACTS_PER_CALL = 100;
const WRITE_CONCURRENCY = 20;
/** Few, so that a check of many numbers does not delay sends at the chat service. */
export const CHECK_CONCURRENCY = 4;

/**
 * When the last call may start. A call and its repetition with a refreshed token take at most 20 seconds, and HTTP APIs
 * time out after 30 seconds.
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
const LAST_START_MS = 7_000;

export const contactCheckResponse = z.object({
  contacts: z.array(
    z.object({
      /** As requested, a phone number in its plain form. */
      contact: z.string(),
      at: z.string(),
      onPlatform: z.boolean(),
      /** The number in its proper format. */
      platformContactId: z.optional(z.string()),
    }),
  ),
  /** The numbers that were not checked in time, or whose check failed. Check them in another call. */
  notChecked: z.optional(z.array(z.string())),
});

/** The check supports only numbers, so it would report any other id as absent. */
export const checkedNumber = z.typedAddress(z.MAX_NAME_LENGTH).check(z.refine(isPhone, 'must be a phone number'));

export const checkContacts = defineRoute({
  route: 'POST /v1/contact-checks',
  summary: 'Check which numbers are on the platform and record the results',
  description:
    'If the chat service is slow, numbers that cannot be checked in time are listed as notChecked. 502 means that no ' +
    'number could be checked; 409, with the code INVALID_CHANNEL, that the access token is not for chatChannelNumber.',
  query: ignoredQuery,
  body: z.strictObject({
    contacts: z
      .array(checkedNumber, 'must be a list of numbers')
      .check(
        z.minLength(1, 'must have at least one number'),
        z.maxLength(MAX_CHECKED_CONTACTS, `must not have more than ${MAX_CHECKED_CONTACTS} numbers`),
      ),
    ...contactFields,
    /** Passed to the chat service. */
    chatChannelNumber: z.optional(channelNumber),
    /** Whether to record the results on the contacts. @default true */
    remember: z.optional(z.boolean('must be true or false')),
  }),
  responses: { 200: contactCheckResponse, 400: problemResponse, 409: problemResponse, 502: problemResponse },
  async handle(ports: ContactCheckPorts, { body }) {
    const { contactDefaults, contacts } = ports;
    const { remember = true, chatChannelNumber = contactDefaults.chatChannelNumber, chatPlatform } = body;
    const numbers = [...new Set(body.contacts)];
    const { checks, failure } = await checkAll(ports, chatChannelNumber, numbers);
    if (checks.size === 0) {
      const message = `The contacts could not be checked. ${failure?.explanation}.`;
      return failure?.code === INVALID_CHANNEL
        ? problem(409, 'INVALID_CHANNEL', message)
        : problem(502, 'CHAT_SERVICE_FAILED', message);
    }
    const results = numbers.flatMap((number) => {
      const check = checks.get(number);
      return check === undefined ? [] : [[number, check] as const];
    });
    const notChecked = numbers.filter((number) => !checks.has(number));
    await forEachConcurrently(WRITE_CONCURRENCY, remember ? results : [], ([platformContactId, check]) => {
      const contact = resolveContact(contactDefaults, { platformContactId, chatPlatform, chatChannelNumber });
      return contacts.recordCheck(contact, check);
    });
    return ok({
      contacts: results.map(([contact, { checkedAt, checkedAddress }]) => ({
        contact,
        at: checkedAt,
        onPlatform: checkedAddress !== undefined,
        platformContactId: checkedAddress,
      })),
      notChecked: notChecked.length === 0 ? undefined : notChecked,
    });
  },
});

interface CheckedAll {
  readonly checks: ReadonlyMap<string, CheckedContact>;
  /** Why a call failed, if one did. */
  readonly failure?: FailedBatch;
}

/** Checks contacts in batches until one fails or the time is up. */
const checkAll = async (
  ports: ContactCheckPorts,
  chatChannelNumber: string,
  contacts: readonly string[],
): Promise<CheckedAll> => {
  const { clock } = ports;
  const lastStart = addMs(clock.now(), LAST_START_MS);
  const checks = new Map<string, CheckedContact>();
  const failures: FailedBatch[] = [];
  await forEachConcurrently(CHECK_CONCURRENCY, batchesOf(contacts), async (batch) => {
    if (failures.length > 0 || clock.now() > lastStart) return;
    const outcome = await checkBatch(ports, chatChannelNumber, batch);
    if (outcome.kind === 'failed') failures.push(outcome);
    else for (const [contact, check] of outcome.checks) checks.set(contact, check);
  });
  const [failure] = failures;
  return { checks, ...(failure !== undefined && { failure }) };
};

const batchesOf = (contacts: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(contacts.length / CONTACTS_PER_CALL) }, (_, index) =>
    contacts.slice(index * CONTACTS_PER_CALL, (index + 1) * CONTACTS_PER_CALL),
  );

type CheckedBatch =
  | { readonly kind: 'checked'; readonly checks: readonly (readonly [string, CheckedContact])[] }
  | FailedBatch;

/** `code` is the chat service's. */
interface FailedBatch {
  readonly kind: 'failed';
  readonly code?: number;
  readonly explanation: string;
}

const checkBatch = async (
  { chatService, clock, rules: { numberFormat } }: ContactCheckPorts,
  chatChannelNumber: string,
  batch: readonly string[],
): Promise<CheckedBatch> => {
  const numbers = batch.map((number) => formatNumber(number, numberFormat));
  const answer = await chatService.checkContacts(formatNumber(chatChannelNumber, numberFormat), numbers);
  const outcome = contactCheckOutcome(answer, numbers);
  if (outcome.kind === 'unavailable') return { kind: 'failed', explanation: outcome.failure.explanation };
  if (outcome.kind === 'rejected') return { ...outcome, kind: 'failed' };
  if (!outcome.isComplete) {
    return { kind: 'failed', explanation: 'The chat service returned an unexpected result' };
  }
  const checkedAt: Instant = clock.now();
  const { result } = outcome;
  return {
    kind: 'checked',
    checks: batch.map((contact) => [contact, { checkedAt, checkedAddress: result.get(digitsOf(contact)) }] as const),
  };
};
