import { type ContactDefaults, type ContactRef, resolveContact } from '../../domain/contact.ts';
import { erasureRecord, INDEX_LAG_MS } from '../../domain/erasure.ts';
import * as z from '../../domain/schema.ts';
import type { AuditRepository, Clock, ErasureQueue, ErasureRepository, Randomness } from '../../ports.ts';
import {
  accepted,
  chosenIdField,
  defineRoute,
  erasedAddressField,
  noBody,
  noQuery,
  ok,
  problem,
  problemResponse,
} from './api.ts';
import { contactQuery } from './contacts.ts';

export interface ErasurePorts {
  readonly erasures: ErasureRepository;
  readonly audit: Pick<AuditRepository, 'record'>;
  readonly erasureQueue: ErasureQueue;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly contactDefaults: ContactDefaults;
}

export const erasureResponse = z.object({
  ...erasureRecord.shape,
  /** The IDs of the erasures of the customer's other addresses. Present in the answer to the call. */
  otherAddresses: z.optional(z.array(z.string())),
});

/** Returns the IDs of the customers that a contact's user is, and the user's other addresses, each of them once. */
const readUser = async (
  erasures: Pick<ErasureRepository, 'contactsOf' | 'customersOf' | 'addressesOf'>,
  contact: ContactRef,
): Promise<{ readonly customerIds: readonly string[]; readonly others: readonly ContactRef[] }> => {
  const contacts = await erasures.contactsOf(contact);
  const named = (await Promise.all(contacts.map((each) => erasures.customersOf(each)))).flat();
  const customerIds = [...new Set(named.map(({ customerId }) => customerId))];
  // A customer's addresses are kept by business number, and the user may have written from another one to each.
  const customers = contacts.flatMap(({ platform, channel }) =>
    customerIds.map((customerId) => ({ platform, channel, customerId })),
  );
  const addresses = (await Promise.all(customers.map((customer) => erasures.addressesOf(customer)))).flat();
  const others = new Map(addresses.filter(({ key }) => key !== contact.key).map((each) => [each.key, each]));
  return { customerIds, others: [...others.values()] };
};

export const eraseContact = defineRoute({
  route: 'DELETE /v1/contacts/{platformContactId+}',
  summary: 'Erase a contact',
  description:
    'Deletes the contact with every business number, all of its messages, and its dead letters, and the same of every ' +
    'other address of the same customer, each in an erasure of its own. Of each send, only the ' +
    'record that it existed is kept. The erasure runs in the background; get the erasure to see its progress. You can ' +
    'repeat the call. Messages that the user writes and consents that are recorded after the call are kept.',
  id: erasedAddressField,
  query: contactQuery,
  body: noBody,
  responses: { 202: erasureResponse, 400: problemResponse },
  async handle(ports: ErasurePorts, { id, query, caller }) {
    const { erasures, audit, erasureQueue, clock, randomness, contactDefaults } = ports;
    const contact = resolveContact(contactDefaults, { ...query, platformContactId: id });
    const { customerIds, others: addresses } = await readUser(erasures, contact);
    const requestedAt = clock.now();
    const erase = async (each: ContactRef): Promise<string> => {
      const erasureId = randomness.newId();
      // Never names the contact, because the entry remains after the erasure.
      await audit.record({ action: 'erasure', details: { erasureId }, at: requestedAt, caller });
      // First, because nothing would ever end an erasure that is recorded and not queued.
      // The first pass must find what was stored just before: otherwise, it could find nothing and end the erasure, or end
      // a turn before it has erased the messages.
      await erasureQueue.put({ erasureId, requestedAt, contact: each, customerIds }, INDEX_LAG_MS / 1000);
      await erasures.start(erasureId, requestedAt);
      return erasureId;
    };
    const others: string[] = [];
    for (const other of addresses) others.push(await erase(other));
    // Last, so that a repeated call still finds the others if this one fails.
    const erasureId = await erase(contact);
    const counts = { messages: 0, sends: 0, deadLetters: 0, passes: 0 };
    return accepted({
      erasureId,
      state: 'running',
      requestedAt,
      ...counts,
      ...(others.length > 0 && { otherAddresses: others }),
    });
  },
});

export const getErasure = defineRoute({
  route: 'GET /v1/erasures/{erasureId}',
  summary: 'Get the progress of an erasure',
  id: chosenIdField,
  query: noQuery,
  body: noBody,
  responses: { 200: erasureResponse, 400: problemResponse, 404: problemResponse },
  async handle({ erasures }: Pick<ErasurePorts, 'erasures'>, { id }) {
    const erasure = await erasures.read(id);
    return erasure ? ok(erasure) : problem(404, 'ERASURE_NOT_FOUND', `There is no erasure with the id ${id}.`);
  },
});
