import { type ContactDefaults, isPhone, resolveContact } from '../domain/contact.ts';
import { type CheckedContact, contactCheckOutcome, digitsOf } from '../domain/contact-check.ts';
import * as z from '../domain/schema.ts';
import { formatNumber, type NumberFormat } from '../domain/send-decision.ts';
import type { ChatService, Clock, ContactRepository } from '../ports.ts';
import { forEachConcurrently } from '../runtime/for-each-concurrently.ts';
import { channelNumber, contactFields, defineRoute, ignoredQuery, ok, problem, problemResponse } from './api.ts';

export interface ContactCheckPorts {
  readonly chatService: Pick<ChatService, 'checkContacts'>;
  readonly contacts: Pick<ContactRepository, 'recordCheck'>;
  readonly clock: Clock;
  readonly contactDefaults: ContactDefaults;
  /** How phone numbers are written in calls. */
  readonly numberFormat: NumberFormat;
}

const MAX_CONTACTS = 1000;
/** The contract does not specify a limit, so this is a conservative one. */
const CONTACTS_PER_CALL = 100;
const WRITE_CONCURRENCY = 20;

export const contactCheckResponse = z.object({
  contacts: z.array(
    z.object({
      /** As requested. */
      contact: z.string(),
      at: z.string(),
      onPlatform: z.boolean(),
      /** The number in its proper format. */
      platformContactId: z.optional(z.string()),
    }),
  ),
});

export const checkContacts = defineRoute({
  route: 'POST /v1/contact-checks',
  summary: 'Check which numbers are on the platform and record the results',
  query: ignoredQuery,
  body: z.strictObject({
    contacts: z
      .array(
        // The check supports only numbers, so it would report any other id as absent.
        z.boundedString(z.MAX_NAME_LENGTH).check(z.refine(isPhone, 'must be a phone number')),
        'must be a list of numbers',
      )
      .check(
        z.minLength(1, 'must have at least one number'),
        z.maxLength(MAX_CONTACTS, `must not have more than ${MAX_CONTACTS} numbers`),
      ),
    ...contactFields,
    /** Passed to the chat service. */
    chatChannelNumber: z.optional(channelNumber),
    /** Whether to record the results on the contacts. @default true */
    remember: z.optional(z.boolean('must be true or false')),
  }),
  responses: { 200: contactCheckResponse, 400: problemResponse, 502: problemResponse },
  async handle(ports: ContactCheckPorts, { body }) {
    const { contactDefaults, contacts } = ports;
    const { remember = true, chatChannelNumber = contactDefaults.chatChannelNumber, chatPlatform } = body;
    const checked = await checkAll(ports, chatChannelNumber, [...new Set(body.contacts)]);
    if (checked.kind === 'failed') {
      return problem(502, 'CHAT_SERVICE_FAILED', `The contacts could not be checked. ${checked.explanation}.`);
    }
    const results = [...checked.checks];
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
    });
  },
});

type CheckedAll =
  | { readonly kind: 'checked'; readonly checks: ReadonlyMap<string, CheckedContact> }
  | { readonly kind: 'failed'; readonly explanation: string };

/** Checks contacts in batches, one after another, until a batch fails. */
const checkAll = async (
  { chatService, clock, numberFormat }: ContactCheckPorts,
  chatChannelNumber: string,
  contacts: readonly string[],
): Promise<CheckedAll> => {
  const checks = new Map<string, CheckedContact>();
  for (let start = 0; start < contacts.length; start += CONTACTS_PER_CALL) {
    const batch = contacts.slice(start, start + CONTACTS_PER_CALL);
    const numbers = batch.map((number) => formatNumber(number, numberFormat));
    const answer = await chatService.checkContacts(formatNumber(chatChannelNumber, numberFormat), numbers);
    const outcome = contactCheckOutcome(answer, numbers);
    if (outcome.kind === 'unavailable') return { kind: 'failed', explanation: outcome.failure.explanation };
    if (outcome.kind === 'rejected') return { kind: 'failed', explanation: outcome.explanation };
    if (!outcome.isComplete)
      return { kind: 'failed', explanation: 'The chat service answered with a result that is not understood' };
    const checkedAt = clock.now();
    for (const contact of batch)
      checks.set(contact, { checkedAt, checkedAddress: outcome.result.get(digitsOf(contact)) });
  }
  return { kind: 'checked', checks };
};
