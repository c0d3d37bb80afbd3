import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../../local/demo/wait-for.ts';
import { type CommandRun, startCommandRun } from '../support/command-run.ts';
import { allDelivered } from '../support/test-cloud.ts';

// What nobody has decided about outlasts the 14 days of SQS, on the run's clock.

const DAY_SECONDS = 24 * 60 * 60;

let run: CommandRun;
let cloud: CommandRun['cloud'];
let client: CommandRun['client'];

beforeAll(async () => {
  run = await startCommandRun();
  ({ cloud, client } = run);
});
afterAll(() => run?.[Symbol.asyncDispose]());

const parley = (...args: readonly string[]) => run.parley(['dead-letters', ...args]);
const listed = async (queue: string) => JSON.parse((await parley('list', queue, '--json')).out)[queue];

it('a quarantined event and a failed request are found after 15 and after 60 days, and redriven once', {
  timeout: 120_000,
}, async () => {
  const contact = '+5491155561501';
  const request = { requestId: 'kept-1', platformContactId: contact, messageText: 'Hi' };
  await client.deliverEvent({ FROM: contact, MESSAGE: 'An event without an id' });
  await client.putMessage(cloud.sendQueueUrl, JSON.stringify({ ...request, notAfter: 'never' }), {
    groupId: contact,
    id: 'kept-1',
  });
  await allDelivered(client);
  // Each delivery is quarantined.
  const quarantined = await client.queueDepth(cloud.inboundDeadLetterQueueUrl);
  expect(quarantined).toBeGreaterThan(0);
  await waitFor('the request is dead-lettered, and the function is done with it', async () =>
    (await client.queueDepth(cloud.sendDeadLetterQueueUrl)) === 1 && (await client.queueDepth(cloud.sendQueueUrl)) === 0
      ? true
      : undefined,
  );

  await client.advanceClock(15 * DAY_SECONDS);
  const after15 = { inbound: await listed('inbound'), send: await listed('send') };
  await client.advanceClock(45 * DAY_SECONDS);
  const after60 = { inbound: await listed('inbound'), send: await listed('send') };

  expect(await client.queueDepth(cloud.inboundDeadLetterQueueUrl)).toBe(0);
  for (const { inbound, send } of [after15, after60]) {
    expect(inbound).toMatchObject({ total: quarantined, kept: quarantined });
    expect(send).toMatchObject({ total: 1, kept: 1, deadLetters: [{ groupId: contact }] });
    expect(send.deadLetters[0].reason).toMatch(/^MALFORMED/);
  }
  const { messageId } = after60.inbound.deadLetters[0];
  expect((await parley('show', 'inbound', messageId)).out).toContain('"rawBody"');

  // It fails again and returns to the queue, from which it is not redriven a second time.
  expect(await parley('redrive', 'inbound')).toMatchObject({
    code: 0,
    out: expect.stringMatching(new RegExp(`^${quarantined} redriven, \\d left\\.$`)),
  });
  await waitFor('the event is quarantined again', async () =>
    (await client.queueDepth(cloud.inboundDeadLetterQueueUrl)) === quarantined ? true : undefined,
  );
  expect(await listed('inbound')).toMatchObject({ total: quarantined, kept: 0 });

  expect(await parley('delete', 'send', '--reason', 'MALFORMED', '--yes')).toMatchObject({
    out: '1 dead letter deleted.',
  });
  expect(await listed('send')).toMatchObject({ total: 0, kept: 0 });
  expect(Object.keys(await client.table()).filter((key) => key.startsWith('DEADLETTER'))).toEqual([]);
});
