import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDynamodbAudit } from '../../../lambdas/adapters/dynamodb/audit.ts';
import { createDynamodbCircuit } from '../../../lambdas/adapters/dynamodb/circuit.ts';
import { createDynamodbContacts } from '../../../lambdas/adapters/dynamodb/contacts.ts';
import { createConversationTable } from '../../../lambdas/adapters/dynamodb/conversation-table.ts';
import { createDynamodbErasures } from '../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbKeptDeadLetters } from '../../../lambdas/adapters/dynamodb/kept-dead-letters.ts';
import { createDynamodbMessages } from '../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../../../lambdas/adapters/dynamodb/sends.ts';
import { auditDetails } from '../../../lambdas/domain/audit.ts';
import { contactRef } from '../../../lambdas/domain/contact.ts';
import type { AddressedSend, Claim, SendResult } from '../../../lambdas/domain/send.ts';
import type { StatusKind } from '../../../lambdas/domain/webhook-event.ts';
import { manageEnvironment } from '../../../lambdas/manage/environment.ts';
import { publishEnvironment } from '../../../lambdas/publish/environment.ts';
import { turnEnvironment } from '../../../lambdas/publish/turns/environment.ts';
import { receiveEnvironment } from '../../../lambdas/receive/environment.ts';
import { systemRandomness } from '../../../lambdas/runtime/system.ts';
import { bulkEnvironment } from '../../../lambdas/send/bulk/environment.ts';
import { sendEnvironment } from '../../../lambdas/send/environment.ts';
import { CONSENT_REGISTERS } from '../../../lambdas/table/consent-item.ts';
import { ACCOUNT, NOW, RETENTION_DAYS, sendRequest, TRACEPARENT, USER } from '../../support/builders.ts';
import { testTables } from '../../support/test-tables.ts';

const LIST = join(import.meta.dirname, 'wire-names.txt');

const tables = testTables();

const CONTACT = contactRef('chat', USER);
const CALL = { endpoint: 'message/v3' as const, body: { messageText: 'Hi' } };
const time = { at: NOW, source: 'event' as const };
const traceparent = TRACEPARENT;

const queued = (requestId: string): AddressedSend => {
  const request = sendRequest({ requestId });
  const body = JSON.stringify(request);
  return { request, body, contact: CONTACT, groupId: 'group', deduplicationId: requestId, traceparent, endBy: NOW };
};
const claimOf = (requestId: string): Claim => ({
  claimId: `claim-${requestId}`,
  claimedAt: NOW,
  leaseUntil: NOW,
  call: CALL,
  decision: 'Because.',
});

/** Makes every write once, and returns the attributes of each kind of item. */
const writtenAttributes = async (): Promise<Record<string, string[]>> => {
  const tableName = await tables.createTable();
  const table = createConversationTable({
    abortSignal: undefined,
    client: tables.tableClient,
    tableName,
    retentionDays: RETENTION_DAYS,
  });
  const names: Record<string, Set<string>> = {};
  const collect = async () => {
    for (const item of Object.values(await tables.items(tableName))) {
      const kind = String(item.sk).replace(/^VERSION#.*/, 'VERSION');
      names[kind] = new Set([...(names[kind] ?? []), ...Object.keys(item)]);
    }
  };
  const message = {
    kind: 'message' as const,
    id: 'm1',
    contact: CONTACT,
    time,
    body: '{}',
    opensWindow: true,
    traceparent,
  };
  const contacts = createDynamodbContacts(table, { readsHandovers: false });
  const ahead = { ...time, own: NOW };
  await contacts.openWindow({ ...message, time: ahead, address: USER, name: 'Ana', customerId: 'c1' });
  await contacts.denyWindow(CONTACT, NOW);
  await contacts.recordCheck(CONTACT, { checkedAt: NOW, checkedAddress: USER });
  for (const { kind, origin } of CONSENT_REGISTERS) {
    const byKeyword = origin === 'user' && { messageId: 'm1', ownAt: NOW };
    await contacts.recordConsent(CONTACT, { kind, origin, at: NOW, source: 'form', ...byKeyword });
  }

  const messages = createDynamodbMessages(table, { gapClock: undefined });
  await messages.recordInbound({ ...message, address: USER, isFromStatus: true });
  const modified = { at: NOW, source: 'event' as const };
  const edited = { ...message, id: 'm4', address: USER };
  for (const body of ['{"n":1}', '{"n":2}']) await messages.recordInbound({ ...edited, body, modified });
  await messages.recordEcho({
    kind: 'echo',
    sender: 'business',
    id: 'm2',
    contact: CONTACT,
    time,
    body: '{}',
    isFromStatus: true,
    traceparent,
  });
  await messages.recordOutbound({
    id: 'm3',
    requestId: 'r1',
    contact: CONTACT,
    call: CALL,
    claimedAt: NOW,
    attempt: 1,
    traceparent,
  });
  const statuses: readonly StatusKind[] = ['sent', 'delivered', 'read', 'failed', 'other'];
  for (const status of statuses) {
    const body = JSON.stringify({ STATUS: status });
    await messages.recordStatus({ kind: 'status', id: 'm3', status, literal: status, time, body, traceparent });
  }

  const sends = createDynamodbSends(table);
  await sends.register(queued('registered'), NOW);
  await sends.schedule(queued('cancelled'), { at: NOW, sendAt: NOW });
  await collect();
  await sends.cancel('cancelled', NOW);
  const inBroadcast = queued('broadcast');
  await sends.register({ ...inBroadcast, request: { ...inBroadcast.request, broadcastId: 'b1' } }, NOW);
  const results: readonly SendResult[] = [
    { state: 'accepted', at: NOW, messageId: 'm3', outcome: 'Because.' },
    { state: 'refused', at: NOW, code: 'WINDOW_CLOSED', decision: 'Because.' },
    { state: 'rejected', at: NOW, outcome: 'Because.' },
    { state: 'expired', at: NOW, decision: 'Because.' },
    { state: 'uncertain', at: NOW, outcome: 'Because.', isAnswered: true },
    { state: 'waiting', at: NOW, outcome: 'Because.' },
  ];
  for (const result of results) {
    const claim = claimOf(result.state);
    await sends.claim(queued(result.state), claim, { resend: false });
    await collect();
    await sends.recordResult(result.state, claim.claimId, result);
  }
  await sends.recordFailure({ requestId: 'registered' }, NOW);
  await sends.claim(queued('confirmed'), claimOf('confirmed'), { resend: false });
  await sends.confirm('confirmed', { messageId: 'm4', at: NOW });
  await collect();

  const circuit = createDynamodbCircuit(table, ACCOUNT);
  await circuit.open({ reason: 'token', why: 'HTTP 401', calledAt: NOW, openedAt: NOW, nextProbeAt: NOW });
  await circuit.claimProbe({ probeId: 'p1', now: NOW, leaseUntil: NOW });
  await collect();
  await circuit.close('p1', NOW);

  const deadLetter = { id: 'd1', queue: 'send' as const, reason: 'Because.', body: '{}', groupId: 'g', since: NOW };
  await createDynamodbKeptDeadLetters(table).keep({ ...deadLetter, traceparent }, [CONTACT], {
    at: NOW,
    keepId: 'keep-1',
  });

  const details = Object.fromEntries(Object.keys(auditDetails.shape).map((name) => [name, 'text']));
  const caller = { arn: 'arn', id: 'id' };
  await createDynamodbAudit(table, systemRandomness).record({
    action: 'opt-in',
    contact: CONTACT,
    details,
    at: NOW,
    caller,
  });
  await collect();

  const erasures = createDynamodbErasures(table);
  await erasures.start('e1', NOW);
  const erasure = await erasures.read('e1');
  if (erasure) await erasures.recordPass(erasure, { messages: 1, sends: 1, deadLetters: 1, finishedAt: NOW });
  const { items } = await erasures.listItems(CONTACT, NOW, { kind: 'AUDIT' });
  for (const item of items) await erasures.erase(CONTACT, item, NOW);
  await erasures.erase(CONTACT, { kind: 'send', id: 'refused' }, NOW);
  await collect();
  return Object.fromEntries(Object.entries(names).map(([kind, attributes]) => [kind, [...attributes].toSorted()]));
};

/** One line per name, so that a change shows as the lines it adds and removes. */
const section = (title: string, names: readonly string[]): string =>
  `${title}\n${names.map((name) => `  ${name}\n`).join('')}`;

const FUNCTIONS = {
  receive: receiveEnvironment,
  send: { shape: { ...sendEnvironment.shape, ...bulkEnvironment.shape } },
  publish: { shape: { ...publishEnvironment.shape, ...turnEnvironment.shape } },
  manage: manageEnvironment,
};

describe('the names that stored items and deployed functions depend on', () => {
  it('match the list: rewrite it (npm run wire-names) only together with what depends on them', async () => {
    const attributes = Object.entries(await writtenAttributes()).toSorted();
    const sections = [
      ...attributes.map(([kind, names]) => section(`attributes of ${kind} items`, names)),
      ...Object.entries(FUNCTIONS).map(([name, { shape }]) => section(`environment of ${name}`, Object.keys(shape))),
    ];

    const names = sections.join('\n');
    // Only on request: a missing list must fail, not be written again.
    if (process.env.WRITE_WIRE_NAMES === '1') writeFileSync(LIST, names);
    expect(names).toBe(readFileSync(LIST, 'utf8'));
  });
});
