import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../../local/demo/wait-for.ts';
import { type CommandRun, startCommandRun } from '../support/command-run.ts';

// A one-time code overtakes a broadcast: both wait for a slow chat service, in queues of their own.

const ROWS = 120;
const CONTACT = '+5491155550601';
const contactOf = (row: number): string => `+54911${55_560_000 + (row % 40)}`;
let run: CommandRun;

beforeAll(async () => {
  run = await startCommandRun({
    settings: {
      chatService: { maxConcurrentCalls: 20 },
      sends: { bulkLane: { maxConcurrentCalls: 2, maxCallsPerSecond: 40 } },
    },
  });
  const written: string[] = [];
  for (let row = 0; row < 40; row += 1) {
    written.push(await run.client.userWrites(contactOf(row), { text: 'Hello.' }));
  }
  written.push(await run.client.userWrites(CONTACT, { text: 'My code, please.' }));
  // A request that is handled before its contact's message is stored would be refused.
  await waitFor('the windows are open', async () => {
    const table = await run.client.table();
    return written.every((id) => table[`MESSAGE#${id} MESSAGE`] !== undefined) || undefined;
  });
});
afterAll(() => run?.[Symbol.asyncDispose]());

const accepted = async () =>
  (await run.client.outbox()).map(({ body }) => ({
    text: String(body.messageText),
    contact: String(body.platformContactId),
  }));

it('sends a code while bulk requests wait, and keeps the order of each contact within the bulk queue', async () => {
  const { client, cloud } = run;
  await client.control('POST', '/faults', { answers: { count: ROWS, delayMs: 100 } });
  const { bulkSendQueueUrl = '' } = cloud;
  for (let row = 0; row < ROWS; row += 1) {
    const request = { requestId: `bulk-${row}`, platformContactId: contactOf(row), messageText: `News ${row}` };
    await client.putMessage(bulkSendQueueUrl, JSON.stringify(request), {
      groupId: contactOf(row),
      id: request.requestId,
    });
  }
  await client.enqueue({ requestId: 'code', platformContactId: CONTACT, messageText: 'Your code is 123.' });
  const before = await waitFor('the code is accepted', async () => {
    const texts = (await accepted()).map(({ text }) => text);
    return texts.includes('Your code is 123.') ? texts : undefined;
  });
  expect(before.length).toBeLessThan(ROWS);

  const all = await waitFor('all bulk requests are accepted', async () => {
    const messages = await accepted();
    return messages.length === ROWS + 1 ? messages : undefined;
  });
  const bulk = all.filter(({ text }) => text.startsWith('News '));
  for (const [contact, messages] of Map.groupBy(bulk, (message) => message.contact)) {
    const rows = messages.map(({ text }) => Number(text.slice('News '.length)));
    expect(rows, contact).toEqual(rows.toSorted((one, other) => one - other));
  }
});
