import { createDynamodbContacts } from '../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbMessages } from '../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../../../lambdas/adapters/dynamodb/sends.ts';
import { ms } from '../../../lambdas/domain/duration.ts';
import { addMs } from '../../../lambdas/domain/instant.ts';
import { createStoreEvents } from '../../../lambdas/receive/store-events.ts';
import { ACCOUNT, PLAIN_RECEIVER, USER, wireMessage, wireStatus } from '../../support/builders.ts';
import { singly } from '../../support/single-event.ts';
import { requestIdIn } from './journal.ts';
import { createSimulatedTable } from './table.ts';
import { bodyIn } from './translate-event.ts';
import { refOf, type World } from './world.ts';
import type { WorldEvent } from './world-options.ts';

/** The table, for writes of one step. */
const tableOf = ({ table }: World) => createSimulatedTable(table, async (_, perform) => perform());

/**
 * The table, for a function whose writes of sends take turns with those of the function `send`. Its writes of messages
 * commute with every other: they set other attributes, or the same ones to the same values.
 */
const sharedTableOf = ({ turns, table, options: { prunes = true } }: World) =>
  createSimulatedTable(table, async (label, perform) =>
    prunes && label.startsWith('write MESSAGE#')
      ? perform()
      : turns.call({ process: 'webhook', label, perform, canEndProcess: false }),
  );

const store = async (
  { clock, options: { format } }: World,
  table: ReturnType<typeof createSimulatedTable>,
  event: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const storeEvent = singly(
    createStoreEvents({
      ...PLAIN_RECEIVER,
      repositories: () => ({
        contacts: createDynamodbContacts(table, { readsHandovers: false }),
        messages: createDynamodbMessages(table, { gapClock: undefined }),
        sends: createDynamodbSends(table),
      }),
      clock,
      budgetMs: ms(10_000),
      chatPlatform: ACCOUNT.platform,
      windowPer: 'user',
    }),
  );
  await storeEvent({ rawBody: Buffer.from(bodyIn(event, format)), receivedAt: clock.now() });
};

/** The contact is read and written, decides what a claim may do, and decides what the chat service answers. */
const dependsOnContact = (waiting: readonly string[]): boolean =>
  waiting.some((label) => label.includes('CONTACT#') || label.endsWith(' as claimed') || label.startsWith('call '));

/** A user writes, and the webhook stores the message. `afterMs` is how much time passes before. */
export const userWrites = ({ contact = USER, afterMs = 0 } = {}): WorldEvent => ({
  label: `the user ${contact} writes, ${afterMs} ms later`,
  ...(afterMs > 0 ? { movesClock: true } : { matters: dependsOnContact }),
  happen(world) {
    world.clock.moveTo(world.clock.ms + afterMs);
    world.chatService.userWrites(contact);
    const message = { CREATION_TIME: world.clock.now(), FROM: contact, _id_: `message-from-${contact}` };
    return store(world, tableOf(world), wireMessage(message));
  },
});

/** An operator records that a user opted out. */
export const optOut = (contact = USER): WorldEvent => ({
  label: `the user ${contact} opts out`,
  matters: dependsOnContact,
  happen: (world) =>
    createDynamodbContacts(tableOf(world), { readsHandovers: false }).recordConsent(refOf(contact), {
      kind: 'opt-out',
      origin: 'user',
      at: world.clock.now(),
      source: 'call',
    }),
});

/** A system loads a list that says that the user opted in, later than anything else. */
export const importsOptIn = (contact = USER): WorldEvent => ({
  label: `an import opts ${contact} in`,
  matters: dependsOnContact,
  happen: (world) =>
    createDynamodbContacts(tableOf(world), { readsHandovers: false }).recordConsent(refOf(contact), {
      kind: 'opt-in',
      origin: 'import',
      at: addMs(world.clock.now(), 24),
      source: 'list',
    }),
});

/** A status of the message that reached a user last. */
export const status: WorldEvent = {
  label: 'a status of the last message arrives',
  isPossible: ({ chatService }) => chatService.effects.length > 0,
  happen(world) {
    const effect = world.chatService.effects.at(-1);
    const CLIENT_PAYLOAD = requestIdIn(effect?.body);
    return store(
      world,
      sharedTableOf(world),
      wireStatus({ _id_: effect?.id, CREATION_TIME: world.clock.now(), CLIENT_PAYLOAD }),
    );
  },
};

/** The account gets credit, before its second call at the latest. */
export const credit: WorldEvent = {
  label: 'the account gets credit',
  // At any other time it would have no effect before the next call.
  isPossible: ({ turns }) => turns.waitingCalls().some((label) => label.startsWith('call ')),
  isDue: ({ journal }) => journal.calls.length >= 2,
  happen: ({ chatService }) => chatService.setCredit(true),
};
