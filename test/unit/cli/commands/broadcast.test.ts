import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';

let target: LocalTarget;
let files = 0;
let csv: string;
let args: readonly string[];

beforeAll(async () => {
  target = await startLocalTarget();
});
afterAll(async () => {
  await target?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  files += 1;
  csv = join(target.folder, `rows-${files}.csv`);
  writeFileSync(csv, `phone,name\n+549115000${files}001,Ana\n+549115000${files}002,Bea\n`);
  args = ['broadcast', csv, '--contact-column', 'phone', '--text', 'Hi ${name}'];
});

/** Receives and deletes what is on the send queue. Returns the request IDs. */
const queued = async (): Promise<readonly string[]> => {
  const QueueUrl = target.addresses.sendQueueUrl;
  const ids: string[] = [];
  for (;;) {
    const { Messages = [] } = await target.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    if (Messages.length === 0) return ids;
    for (const { Body = '', ReceiptHandle } of Messages) {
      ids.push(JSON.parse(Body).requestId);
      await target.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
};
const stateFile = () => `${csv}.local.broadcast.json`;
const state = () => JSON.parse(readFileSync(stateFile(), 'utf8'));
const interruptAfter = (done: number) => writeFileSync(stateFile(), JSON.stringify({ ...state(), done, queued: done }));

it('repeated unchanged queues nothing, and says how to send it again', async () => {
  await target.parley(args);
  await queued();

  const repeated = await target.parley(args);

  expect(await queued()).toEqual([]);
  expect(repeated).toMatchObject({ code: 0, err: '' });
  expect(repeated.out).toContain('Nothing was queued: this broadcast was already complete.');
  expect(repeated.out).toContain('To send it to the same users again, add --new --yes.');
});

it('of an unchanged file starts again with --new and --yes, under new request IDs, at once', async () => {
  await target.parley(args);
  const first = await queued();

  const again = await target.parley([...args, '--new', '--yes']);
  const second = await queued();
  const third = await target.parley([...args, '--new', '--yes']).then(queued);

  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('2 of 2 rows queued, 0 refused.') });
  expect([first.length, second.length, third.length]).toEqual([2, 2, 2]);
  expect(new Set([...first, ...second, ...third]).size).toBe(6);
});

it('asks for --yes before it reaches the same users again, and queues nothing until then', async () => {
  await target.parley(args);
  await queued();

  const refused = await target.parley([...args, '--new']);

  expect(refused).toMatchObject({
    code: 2,
    out: '',
    err: `parley: 2 of 2 rows of ${csv} were already queued with this message. With --new, the same users receive it again. Add --yes to confirm.`,
  });
  expect(await queued()).toEqual([]);
});

it('that --new started and that was interrupted continues without --new, under its own request IDs', async () => {
  await target.parley(args);
  await target.parley([...args, '--new', '--yes']);
  const { broadcastId } = state();
  expect(await queued()).toEqual(expect.arrayContaining([`${broadcastId}-1`, `${broadcastId}-2`]));
  interruptAfter(1);
  // SQS drops a repeated deduplication ID for five minutes.
  await target.clock.advance(301_000);

  const resumed = await target.parley(args);

  expect(resumed.out).toContain('2 of 2 rows queued');
  expect(await queued()).toEqual([`${broadcastId}-2`]);
});

it('saves the request IDs of a new broadcast before it queues the first row, so that a crash repeats none', async () => {
  const stop = new AbortController();
  stop.abort();

  const stopped = await target.parley([...args, '--new'], stop.signal);
  const { broadcastId, done } = state();
  await target.parley(args);

  expect(stopped).toMatchObject({
    code: 130,
    err: expect.stringContaining('Run the same command without --new to continue with row 1.'),
  });
  expect([done, (await queued()).toSorted()]).toEqual([0, [`${broadcastId}-1`, `${broadcastId}-2`]]);
});

it('refuses --yes without --new, which would confirm nothing', async () => {
  expect(await target.parley([...args, '--yes'])).toMatchObject({ code: 2, err: expect.stringContaining('--new') });
  expect(await queued()).toEqual([]);
});
