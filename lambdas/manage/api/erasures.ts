import type { Caller } from '../../domain/audit.ts';
import {
  type ChannelCustomer,
  type ContactDefaults,
  type ContactRef,
  type CustomerRef,
  resolveContact,
  resolveCustomer,
} from '../../domain/contact.ts';
import { erasureRecord, INDEX_LAG_MS, type QueuedErasure } from '../../domain/erasure.ts';
import * as z from '../../domain/schema.ts';
import type { AuditRepository, Clock, ErasureQueue, ErasureRepository, Randomness } from '../../ports.ts';
import { type Answer, accepted, ok, problem, problemResponse } from './answer.ts';
import { contactQuery } from './contacts.ts';
import { customerIdField, customerShared } from './customers.ts';
import { defineRoute, noBody, noQuery } from './define-route.ts';
import { chosenIdField, erasedAddressField } from './fields.ts';

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
  /**
   * The customer IDs of the contact that many users share. What names such an ID and no address is not erased, because it
   * can be anyone's. Present in the answer to the call.
   */
  sharedCustomerIds: z.optional(z.array(z.string())),
});

/** Returns the customers that a contact's user is, and the others that events named with the contact. */
const readCustomers = async (
  erasures: Pick<ErasureRepository, 'contactsOf' | 'customersOf'>,
  contact: ContactRef,
): Promise<Pick<QueuedErasure, 'customers' | 'otherCustomers'>> => {
  const read = await Promise.all((await erasures.contactsOf(contact)).map((each) => erasures.customersOf(each)));
  const customers = refsOf(read.flatMap(({ user }) => user));
  const otherCustomers = refsOf(read.flatMap(({ named }) => named)).filter(
    ({ customerId }) => !customers.some((customer) => customer.customerId === customerId),
  );
  return { customers, otherCustomers };
};

/** Returns the customers without their channels, each of them once. */
const refsOf = (customers: readonly ChannelCustomer[]): readonly CustomerRef[] => [
  ...new Map(customers.map(({ platform, customerId }) => [customerId, { platform, customerId }])).values(),
];

/** Returns the addresses of customers: each of them once, those that now have another user, and those separated from them. */
const readAddresses = async (
  erasures: Pick<ErasureRepository, 'addressesOf' | 'channelsOf'>,
  platform: string,
  customers: readonly CustomerRef[],
) => {
  // The user may have written to each business number from another address.
  const channels = await erasures.channelsOf(platform);
  const users = channels.flatMap((channel) => customers.map((customer) => ({ ...customer, channel })));
  const read = await Promise.all(
    users.map(async (user) => ({ customerId: user.customerId, ...(await erasures.addressesOf(user)) })),
  );
  return {
    own: [...new Map(read.flatMap(({ own }) => own).map((each) => [each.key, each])).values()],
    earlier: read.flatMap(({ customerId, earlier }) =>
      earlier.map(({ contact, until }) => ({ contact, earlier: { customerId, until } })),
    ),
    separatedKeys: [...new Set(read.flatMap(({ separated }) => separated.map(({ key }) => key)))],
    sharedCustomerIds: [...new Set(read.flatMap(({ isShared, customerId }) => (isShared ? [customerId] : [])))],
  };
};

/** Starts an erasure. Returns its ID. */
const beginErasure = async (
  { audit, erasures, erasureQueue, randomness }: ErasurePorts,
  erasure: Omit<QueuedErasure, 'erasureId'>,
  caller: Caller,
): Promise<string> => {
  const erasureId = randomness.newId();
  const { requestedAt } = erasure;
  // Never names the contact, because the entry remains after the erasure.
  await audit.record({ action: 'erasure', details: { erasureId }, at: requestedAt, caller });
  // First, because nothing would ever end an erasure that is recorded and not queued.
  // The first pass must find what was stored just before: otherwise, it could find nothing and end the erasure, or end
  // a turn before it has erased the messages.
  await erasureQueue.put({ erasureId, ...erasure }, INDEX_LAG_MS / 1000);
  await erasures.start(erasureId, requestedAt);
  return erasureId;
};

/** Erases the addresses one by one, and then the subject: so that a repeated call still finds them if this one fails. */
const beginErasures = async (
  ports: ErasurePorts,
  subject: Omit<QueuedErasure, 'erasureId' | 'requestedAt' | 'separatedKeys'>,
  caller: Caller,
): Promise<Answer> => {
  const { platform, customers } = subject;
  const requestedAt = ports.clock.now();
  const read = await readAddresses(ports.erasures, platform, customers);
  const { own, earlier, separatedKeys, sharedCustomerIds } = read;
  const [shared] = sharedCustomerIds;
  if (subject.contact === undefined && shared !== undefined) return customerShared({ customerId: shared });
  const user = { ...subject, requestedAt, separatedKeys };
  const others: string[] = [];
  for (const contact of own.filter(({ key }) => key !== subject.contact?.key)) {
    const { otherCustomers } = await readCustomers(ports.erasures, contact);
    others.push(await beginErasure(ports, { ...user, contact, otherCustomers }, caller));
  }
  for (const each of earlier) {
    const nobody = { customers: [], otherCustomers: [] };
    others.push(await beginErasure(ports, { platform, ...nobody, ...each, requestedAt }, caller));
  }
  const erasureId = await beginErasure(ports, user, caller);
  const counts = { messages: 0, sends: 0, deadLetters: 0, passes: 0 };
  return accepted({
    erasureId,
    state: 'running',
    requestedAt,
    ...counts,
    ...(others.length > 0 && { otherAddresses: others }),
    ...(sharedCustomerIds.length > 0 && { sharedCustomerIds }),
  });
};

export const eraseContact = defineRoute({
  route: 'DELETE /v1/contacts/{platformContactId+}',
  summary: 'Erase a contact',
  description:
    'Deletes the contact with every business number, all of its messages, and its dead letters, and does the same for ' +
    'every other address of the customer, each in an erasure of its own. Of each send, only the ' +
    'record that it existed is kept. The erasure runs in the background; get the erasure to see its progress. You can ' +
    'repeat the call. Messages that the user writes and consents that are recorded after the call are kept.',
  id: erasedAddressField,
  query: contactQuery,
  body: noBody,
  responses: { 202: erasureResponse, 400: problemResponse },
  async handle(ports: ErasurePorts, { id, query, caller }) {
    const contact = resolveContact(ports.contactDefaults, { ...query, platformContactId: id });
    const user = await readCustomers(ports.erasures, contact);
    return beginErasures(ports, { platform: contact.platform, contact, ...user }, caller);
  },
});

export const eraseCustomer = defineRoute({
  route: 'DELETE /v1/customers/{customerId+}',
  summary: 'Erase a customer',
  description:
    'Erases every address of the customer, each in an erasure of its own, and everything that names only the ' +
    'customer. Of an address that belongs to another customer now, erases only what belongs to this one. Fails with ' +
    'CUSTOMER_SHARED for an ID that many users share.',
  id: customerIdField,
  query: z.strictObject({ chatPlatform: contactQuery.shape.chatPlatform }),
  body: noBody,
  responses: { 202: erasureResponse, 400: problemResponse, 409: problemResponse },
  async handle(ports: ErasurePorts, { id: customerId, query, caller }) {
    const { platform } = resolveCustomer(ports.contactDefaults, { ...query, customerId });
    const subject = { platform, customers: [{ platform, customerId }], otherCustomers: [] };
    return beginErasures(ports, subject, caller);
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
    return erasure
      ? ok(erasure)
      : problem(404, 'ERASURE_NOT_FOUND', `There is no erasure with the ID ${id}. Check the ID.`);
  },
});
