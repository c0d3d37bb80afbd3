import { marshall } from '@aws-sdk/util-dynamodb';
import { createDynamodbAudit } from '../../../../lambdas/adapters/dynamodb/audit.ts';
import { createDynamodbContacts } from '../../../../lambdas/adapters/dynamodb/contacts.ts';
import { registeringChannels } from '../../../../lambdas/adapters/dynamodb/conversation-table.ts';
import { createDynamodbErasures } from '../../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbKeptDeadLetters } from '../../../../lambdas/adapters/dynamodb/kept-dead-letters.ts';
import { createDynamodbMessages } from '../../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../../../../lambdas/adapters/dynamodb/sends.ts';
import type { ConversationTable } from '../../../../lambdas/adapters/dynamodb/table.ts';
import { createDynamodbTurns } from '../../../../lambdas/adapters/dynamodb/turns.ts';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { itemEvents } from '../../../../lambdas/domain/events/item-events.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { openTurnIn } from '../../../../lambdas/domain/turns/turn-events.ts';
import { readTurnEvents } from '../../../../lambdas/runtime/turns/read-turn-events.ts';
import type { Item } from '../../../../lambdas/table/item.ts';
import { readItemChange } from '../../../../lambdas/table/item-changes.ts';
import { createSimulatedTable, createTableState, type ItemWrite } from '../../../simulation/world/table.ts';
import { NOW, queuedSend, sendRequest, TRACEPARENT, USER, wireMessage } from '../../../support/builders.ts';
import { createRandom } from '../../../support/random.ts';
import { contactsOf, createTableWriter, PARTS } from '../laws/table-writes.ts';

const CHANNEL = '5491100000000';
const STEPS = 40;
const PAUSES_MS = [0, 1, 1_000, 61_000, 180_000];

/** How many histories of each part are recorded: sends have the most writes that depend on earlier ones. */
const HISTORIES: Readonly<Record<keyof typeof PARTS, number>> = {
  'a send': 9,
  'a message': 3,
  'a channel': 1,
  'a contact': 2,
  'the circuit breaker': 2,
  'the other items': 1,
  'the whole table': 0,
};

/** Makes writes of every kind, always the same, and returns a line of JSON for each: what it changed, and its events. */
export const recordWrites = async (): Promise<readonly string[]> => {
  const histories: (readonly string[])[] = [];
  for (const [part, count] of Object.entries(HISTORIES)) {
    const names = Object.entries(PARTS).find(([name]) => name === part)?.[1] ?? [];
    for (let seed = 0; seed < count; seed += 1) {
      histories.push(await recordHistory((table) => writeAtRandom(table, names, seed)));
    }
  }
  for (const script of SCRIPTS) histories.push(await recordHistory(script));
  return histories.flat();
};

const recordHistory = async (write: (table: ConversationTable) => Promise<void>): Promise<readonly string[]> => {
  const seen: ItemWrite[] = [];
  const table = createSimulatedTable(
    createTableState((written) => seen.push(written)),
    async (_label, perform) => perform(),
  );
  await write(registeringChannels(table, new Map()));
  const lines: string[] = [];
  for (const [index, { before, after }] of seen.entries()) {
    const { pk, sk } = after ?? before ?? {};
    const removed = Object.keys(before ?? {}).filter((name) => after?.[name] === undefined);
    lines.push(
      JSON.stringify({
        item: `${pk} ${sk}`,
        ...(after ? { set: changesOf(before, after), removed } : { deleted: true }),
        events: await eventsOf(table, { before, after }, index),
      }),
    );
  }
  return lines;
};

/** The attributes that a write set, in DynamoDB's JSON, which also says their types. */
const changesOf = (before: Item = {}, after: Item): object => {
  const [was, is] = [imageOf(before), imageOf(after)];
  return Object.fromEntries(
    Object.entries(is).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name])),
  );
};

const imageOf = (item: Item) => marshall(item, { removeUndefinedValues: true });

const eventsOf = async (table: ConversationTable, { before, after }: ItemWrite, index: number) => {
  const change = readItemChange({
    eventName: after === undefined ? 'REMOVE' : 'MODIFY',
    dynamodb: {
      ApproximateCreationDateTime: Date.parse(addMs(NOW, index)) / 1000,
      ...(before && { OldImage: imageOf(before) }),
      ...(after && { NewImage: imageOf(after) }),
    },
  });
  if (change === undefined) return undefined;
  const openTurn = openTurnIn(change);
  const events = [...itemEvents(change), ...(await readTurnEvents(createDynamodbTurns(table), change))];
  return [...events, ...(openTurn ? [{ openTurn }] : [])];
};

const writeAtRandom = async (table: ConversationTable, names: readonly string[], seed: number): Promise<void> => {
  const random = createRandom(seed);
  const draw = (count: number) => Math.floor(random() * count);
  const writer = createTableWriter(table, contactsOf(CHANNEL));
  for (let step = 0; step < STEPS; step += 1) {
    const name = names[draw(names.length)] ?? '';
    const which = draw(2) === 0 ? 0 : 1;
    await writer.write({ name, which, variant: draw(42), afterMs: PAUSES_MS[draw(PAUSES_MS.length)] ?? 0 });
  }
  await writer.finish();
};

const CONTACT = contactRef('chat', USER);
const CUSTOMER = { platform: 'chat', customerId: 'customer-1' };
const time = { at: NOW, source: 'event' as const };
const traceparent = TRACEPARENT;
const bodyOf = (MESSAGE: string) => JSON.stringify(wireMessage({ MESSAGE }));
const messageOf = (id: string, seconds = 0) => ({
  ...{ kind: 'message' as const, id, contact: CONTACT, address: USER, opensWindow: true, traceparent },
  time: { ...time, at: addMs(NOW, seconds * 1000), own: addMs(NOW, seconds * 1000 + 1) },
  body: bodyOf(id),
});

const writeMessages = async (table: ConversationTable): Promise<void> => {
  const messages = createDynamodbMessages(table, { gapClock: undefined });
  await messages.recordInbound({ ...messageOf('from status'), isFromStatus: true });
  await messages.recordInbound({ ...messageOf('imported'), isImported: true });
  await messages.recordInbound(messageOf('imported', 5));
  for (const [seconds, text] of ['original', 'edited', 'edited again'].entries()) {
    const modified = { ...time, at: addMs(NOW, seconds * 1000) };
    await messages.recordInbound({ ...messageOf('edited'), modified, body: bodyOf(text) });
  }
  const unknown = { kind: 'unknown' as const, id: 'unknown', name: 'typing', time, traceparent };
  await messages.recordUnknown({ ...unknown, body: '{"type":"event","event":"typing"}', customer: CUSTOMER });
  await messages.recordUnknownName('typing', NOW);
  const echo = { kind: 'echo' as const, sender: 'operator' as const, id: 'echo', time, traceparent };
  await messages.recordEcho({ ...echo, body: bodyOf('echo'), contact: CONTACT, isImported: true });
  const status = { kind: 'status' as const, id: 'echo', time, traceparent, subject: CUSTOMER };
  await messages.recordStatus({ ...status, status: 'answered', literal: 'answered', body: '{"n":1}' });
  await messages.recordStatus({ ...status, subject: CONTACT, status: 'read', literal: 'read', body: '{"n":2}' });
  const failure = '131026 The number is not on the platform.';
  await messages.recordStatus({ ...status, status: 'failed', literal: 'failed', body: '{"n":3}', failure });
  await messages.recordStatus({ ...status, status: 'other', literal: 'a long status', body: '{"n":4}' });
};

const writeTurns = async (table: ConversationTable): Promise<void> => {
  const messages = createDynamodbMessages(table, { gapClock: undefined });
  for (const [index, id] of ['first', 'second', 'third'].entries()) {
    await messages.recordInbound(messageOf(id, -index), { startedAt: addMs(NOW, index) });
  }
  const turn = { contact: CONTACT, firstMessageId: 'first', startedAt: NOW, messageCount: 3 };
  await createDynamodbTurns(table).end(turn);
  await messages.recordInbound(messageOf('later', 9), { startedAt: addMs(NOW, 9) });
  await createDynamodbErasures(table).endOpenTurn(CONTACT, addMs(NOW, 10));
};

const writeContacts = async (table: ConversationTable): Promise<void> => {
  const contacts = createDynamodbContacts(table, { readsHandovers: true });
  await contacts.openWindow({ ...messageOf('window'), name: 'Ana', customerId: 'customer-1' });
  await contacts.openWindow({ ...messageOf('imported window', 1), isImported: true });
  await contacts.recordOperatorMessage(CONTACT, { at: NOW, until: addMs(NOW, 60_000) });
  await contacts.recordHandover(CONTACT, 'people', addMs(NOW, 1));
  await contacts.recordHandover(CONTACT, 'automated', addMs(NOW, 2));
  const keyword = { origin: 'user' as const, source: 'keyword', recordedAt: NOW };
  await contacts.recordConsent(CONTACT, { ...keyword, kind: 'opt-out', at: NOW, messageId: 'a', ownAt: NOW });
  const earlierOwn = { at: addMs(NOW, 1), messageId: 'b', ownAt: addMs(NOW, -1) };
  await contacts.recordConsent(CONTACT, { ...keyword, kind: 'opt-out', ...earlierOwn });
  const later = { at: addMs(NOW, 2), messageId: 'c', ownAt: addMs(NOW, 2) };
  await contacts.recordConsent(CONTACT, { ...keyword, kind: 'opt-in', ...later });
  await contacts.recordConsent(CONTACT, { kind: 'opt-in', origin: 'import', at: NOW, source: 'list' });
  await createDynamodbErasures(table).removeContact(CONTACT, addMs(NOW, 1));
};

const writeSends = async (table: ConversationTable): Promise<void> => {
  const sends = createDynamodbSends(table);
  const queued = { ...queuedSend(sendRequest({ broadcastId: 'spring#1' })), firstQueuedAt: NOW };
  const { requestId } = queued.request;
  const call = { endpoint: 'message/v3' as const, body: { messageText: 'Hi' } };
  const claim = {
    claimId: 'claim',
    claimedAt: NOW,
    leaseUntil: addMs(NOW, 1000),
    call,
    decision: 'The window is open.',
  };
  await sends.register(queued, NOW);
  await sends.recordFailure({ requestId, body: queued.body }, NOW);
  await sends.claim(queued, claim, { resend: false });
  await sends.linkRequest('job', requestId, NOW);
  await sends.linkMessage('job', { messageId: 'sent', at: NOW });
  const answer = { state: 'accepted' as const, at: NOW, outcome: 'HTTP 200', transactionIds: ['job'] };
  await sends.recordResult(requestId, 'claim', answer);
  await sends.confirm(requestId, { messageId: 'sent', at: NOW });
  await sends.fail(requestId, { messageId: 'sent', at: NOW, failure: '131026 No such number.' });
  await sends.confirm(requestId, { messageId: 'earlier', at: addMs(NOW, -1) });
};

const writeUncertainSends = async (table: ConversationTable): Promise<void> => {
  const [sends, erasures] = [createDynamodbSends(table), createDynamodbErasures(table)];
  const call = { endpoint: 'intent/v2' as const, body: { ruleNameOrId: 'hello' } };
  const claimOf = (claimId: string, seconds: number) => {
    const claimedAt = addMs(NOW, seconds * 1000);
    return { claimId, claimedAt, leaseUntil: addMs(claimedAt, 60_000), call, decision: 'The window is closed.' };
  };
  const uncertain = { state: 'uncertain' as const, outcome: 'HTTP 502', outcomeDetails: 'Bad gateway.' };
  const rejected = { state: 'rejected' as const, outcome: 'HTTP 400', outcomeDetails: 'No such rule.', code: '404' };
  for (const requestId of ['resent', 'answered', 'pending', 'lost', 'accepted']) {
    const queued = queuedSend(sendRequest({ requestId }));
    if (requestId === 'pending') {
      await sends.register(queued, NOW);
      continue;
    }
    await sends.claim(queued, claimOf('first', 0), { resend: false });
    if (requestId === 'lost') continue;
    if (requestId === 'accepted') {
      const accepted = { state: 'accepted' as const, at: NOW, messageId: 'of-accepted', outcome: 'HTTP 200' };
      await sends.recordResult(requestId, 'first', accepted);
      continue;
    }
    await sends.replaceCall(requestId, 'first', { call, decision: 'Error 201.' });
    await sends.recordResult(requestId, 'first', {
      ...uncertain,
      at: addMs(NOW, 1),
      isAnswered: requestId === 'answered',
    });
    if (requestId === 'resent') await sends.claim(queued, claimOf('second', 1), { resend: true });
    if (requestId === 'answered') {
      const send = await sends.read(requestId);
      if (send) await sends.resolve(send, { outcome: 'resend', at: addMs(NOW, 2), why: 'Resent.', note: 'Not sent.' });
      await sends.claim(queued, claimOf('second', 2), { resend: false });
    }
    await sends.recordResult(requestId, 'second', { ...rejected, at: addMs(NOW, 3) });
    await sends.confirm(requestId, { messageId: `of-${requestId}`, at: addMs(NOW, 4) });
  }
  const { items } = await erasures.listItems(CONTACT, addMs(NOW, 60_000));
  const { items: listed } = await erasures.listItems(CONTACT, addMs(NOW, 60_000), { kind: 'SEND' });
  for (const item of [...items, ...listed]) await erasures.erase(CONTACT, item, addMs(NOW, 30 * 60_000));
};

const writeAudit = async (table: ConversationTable): Promise<void> => {
  const audit = createDynamodbAudit(table, { newId: () => 'entry' });
  const caller = { arn: 'arn:aws:iam::111122223333:user/ana', id: 'AIDAEXAMPLE' };
  const details = {
    queue: 'send' as const,
    events: 3,
    missing: 2,
    existing: 1,
    unreadable: 0,
    earliest: NOW,
    latest: NOW,
  };
  await audit.record({ action: 'import', at: NOW, caller, contact: CONTACT, details });
  const letter = {
    id: 'letter',
    queue: 'inbound' as const,
    reason: 'TOO_LARGE',
    body: '{}',
    groupId: 'group',
    since: NOW,
  };
  await createDynamodbKeptDeadLetters(table).keep({ ...letter, traceparent }, [CONTACT], { at: NOW, keepId: 'keep' });
};

const SCRIPTS = [writeMessages, writeTurns, writeContacts, writeSends, writeUncertainSends, writeAudit] as const;
