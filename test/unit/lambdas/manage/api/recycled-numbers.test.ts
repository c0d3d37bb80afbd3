import { beforeEach, describe, expect, it } from 'vitest';
import { wireMessage } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { wireEcho } from '../../adapters/dynamodb/message-builders.ts';
import { createSendHarness } from '../../send/send-harness.ts';
import { createManagedStage } from '../managed-stage.ts';

// A number of the customer Ana, who wrote at 11:01, and then of the customer Juan, who wrote at 11:30.

const tables = testTables();
const [NUMBER, SECRET, RECENT] = ['5491155550000', 'Ana, your results are here.', 'Juan, welcome.'];

let stage: Awaited<ReturnType<typeof createManagedStage>>;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const timeOf = (minute: number) => `2026-11-20T11:${String(minute).padStart(2, '0')}:00.000Z`;
const write = (CUSTOMER_ID: string, minute: number) =>
  stage.receive(wireMessage({ _id_: `m-${minute}`, FROM: NUMBER, CREATION_TIME: timeOf(minute), CUSTOMER_ID }));
const echo = (MESSAGE: string, minute: number, CUSTOMER_ID: string | undefined) =>
  stage.receive(wireEcho({ _id_: `m-${minute}`, TO: NUMBER, CREATION_TIME: timeOf(minute), CUSTOMER_ID, MESSAGE }));
/** The bot answers a customer while the number is that customer's, as far as Parley knows. */
const sendTo = async (customerId: string, messageText: string) => {
  const harness = await createSendHarness(tables, { tableName: stage.tableName });
  await harness.startFunction().send({ requestId: 'request-1', customerId, messageText });
  expect(harness.calls).toHaveLength(1);
};
const eraseAna = async () => {
  await stage.call('eraseCustomer', { id: 'ana-1' });
  await stage.erase();
};
/** Everything that is stored, as one text. */
const everything = async () =>
  JSON.stringify(await stage.items(), (_name, value: unknown) => (value instanceof Set ? [...value] : value));
/** Everything that the API lists for Juan. */
const shownToJuan = async () => {
  const answers = await Promise.all([
    stage.call('getConversation', { id: NUMBER }),
    stage.call('listConversation', { query: { customerId: 'juan-1' } }),
    stage.call('listSends', { query: { contact: NUMBER } }),
    stage.call('listSends', { query: { customerId: 'juan-1' } }),
  ]);
  for (const { status } of answers) expect(status).toBe(200);
  return JSON.stringify(answers);
};

describe.each([
  ['names her', 'ana-1'],
  ['names nobody', undefined],
])('what the business wrote to Ana after her last message, if its echo %s', (_what, customerId) => {
  beforeEach(async () => {
    await write('ana-1', 1);
    await echo(SECRET, 2, customerId);
    await write('juan-1', 30);
    await echo(RECENT, 31, customerId && 'juan-1');
  });

  it('is not shown to Juan', async () => {
    expect(await shownToJuan()).not.toContain(SECRET);
    expect(await shownToJuan()).toContain(RECENT);
  });

  it('is erased with her, and nothing of Juan', async () => {
    await eraseAna();
    expect(await everything()).not.toMatch(/ana-1|Ana, your/);
    expect(await everything()).toContain(RECENT);
  });
});

describe('an echo that names Ana after the first message of Juan', () => {
  beforeEach(async () => {
    await write('ana-1', 1);
    await write('juan-1', 30);
    await echo(SECRET, 31, 'ana-1');
  });

  it('is not shown to Juan', async () => {
    expect(await shownToJuan()).not.toMatch(/ana-1|Ana, your/);
  });

  it('is erased with her', async () => {
    await eraseAna();
    expect(await everything()).not.toMatch(/ana-1|Ana, your/);
  });
});

describe.each([
  ['before', '2026-11-20T12:30:00.000Z'],
  // Parley learns late that the number is his.
  ['after', timeOf(30)],
])('a message that was sent to Ana %s the first message of Juan', (_when, firstAt) => {
  beforeEach(async () => {
    await write('ana-1', 1);
    await sendTo('ana-1', SECRET);
    stage.setNow('2026-11-20T13:00:00.000Z');
    const message = { _id_: 'of-juan', FROM: NUMBER, CREATION_TIME: firstAt, CUSTOMER_ID: 'juan-1' };
    await stage.receive(wireMessage(message));
  });

  it('is not shown to Juan, nor is its request', async () => {
    expect(await shownToJuan()).not.toMatch(/ana-1|Ana, your/);
    expect(await shownToJuan()).toContain('of-juan');
  });

  it('is erased with her', async () => {
    await eraseAna();
    expect(await everything()).not.toMatch(/ana-1|Ana, your/);
    expect(await everything()).toContain('juan-1');
  });
});
