import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTrace, traceIdOf } from '../../lambdas/domain/trace-context.ts';
import { ACCOUNT_ID, REGION } from '../../local/base/aws-environment.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { wireMessage } from '../support/builders.ts';
import { type CommandRun, startCommandRun } from '../support/command-run.ts';

// Follows one trace through every place that an operator can look at.

const CONSUMER = 'follows-traces';
const TOKEN_HEADER = 'x-token';
const USER = '+5491155550900';

const traceOf = (digit: string) => ({
  traceId: digit.repeat(32),
  traceparent: `00-${digit.repeat(32)}-${'7'.repeat(16)}-01`,
});

let run: CommandRun;
let cloud: CommandRun['cloud'];
let client: CommandRun['client'];
let queueUrl: string;
const events: { readonly 'detail-type': string; readonly detail: Readonly<Record<string, unknown>> }[] = [];

beforeAll(async () => {
  const queueArn = `arn:aws:sqs:${REGION}:${ACCOUNT_ID}:${CONSUMER}`;
  run = await startCommandRun({
    settings: {
      webhook: { auth: { kind: 'shared-token', header: TOKEN_HEADER } },
      events: { targets: [{ kind: 'sqs', queueArn }] },
    },
  });
  ({ cloud, client } = run);
  await cloud.emulators.sqs.send(new CreateQueueCommand({ QueueName: CONSUMER }));
  queueUrl = `${cloud.emulators.queueBaseUrl}/${CONSUMER}`;
});
afterAll(() => run?.[Symbol.asyncDispose]());

/** Posts an event to the webhook, as the chat service would in a trace. */
const post = async (event: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}) => {
  const token = cloud.emulators.secrets.find(cloud.webhookSecretId ?? '')?.versions[0]?.secretString ?? '';
  const CREATION_TIME = cloud.clock.now().toISOString();
  const response = await fetch(cloud.webhookUrl, {
    method: 'POST',
    headers: { [TOKEN_HEADER]: token, ...headers },
    body: JSON.stringify(wireMessage({ FROM: USER, CREATION_TIME, ...event })),
  });
  expect(response.status).toBe(200);
};

/** Returns the log lines of all functions that have this trace ID. */
const linesOf = async (traceId: string) => {
  const files = (await readdir(cloud.logFolder)).filter((file) => file.endsWith('.log'));
  const logs = await Promise.all(files.map((file) => readFile(join(cloud.logFolder, file), 'utf8')));
  return logs
    .flatMap((log) => log.split('\n'))
    .filter((line) => line.includes(`"traceId":"${traceId}"`))
    .map((line): Readonly<Record<string, unknown>> => JSON.parse(line.slice(line.indexOf('{'))));
};
const line = (traceId: string, message: string, fields: Readonly<Record<string, unknown>> = {}) =>
  waitFor(`"${message}" is logged in the trace`, async () =>
    (await linesOf(traceId)).find(
      (logged) => logged.message === message && Object.entries(fields).every(([name, value]) => logged[name] === value),
    ),
  );

const item = (key: string, attribute = 'traceparent') =>
  waitFor(`${key} has ${attribute}`, async () => {
    const found = (await client.table())[key];
    return found?.[attribute] === undefined ? undefined : found;
  });

const event = (name: string, traceparent: string) =>
  waitFor(`${name} is published in the trace`, async () => {
    for (const { body } of await client.takeMessages(queueUrl)) events.push(JSON.parse(body));
    return events.find(({ 'detail-type': type, detail }) => type === name && detail.traceparent === traceparent);
  });

/** The calls that the chat service has logged in a trace. */
const callsOf = async (traceId: string) => {
  const { calls } = Object(await client.control('GET', '/calls'));
  return [...calls].map(Object).filter(({ traceparent }) => String(traceparent).includes(traceId));
};

const parley = async (...args: readonly string[]) => (await run.parley(args)).out;

describe('a trace', () => {
  const inbound = traceOf('a');
  const outbound = traceOf('b');

  it('leads from the webhook request to its log line, the message, and the event', async () => {
    await post({ _id_: 'traced-in' }, { traceparent: inbound.traceparent });
    expect(await line(inbound.traceId, 'event stored')).toMatchObject({ id: 'traced-in' });
    expect(await item('MESSAGE#traced-in MESSAGE')).toMatchObject({ traceparent: inbound.traceparent });
    expect((await event('MessageReceived', inbound.traceparent)).detail).toMatchObject({ messageId: 'traced-in' });
  });

  it('starts with the event if the request names none', async () => {
    await post({ _id_: 'untraced-in' });
    const traceparent = startTrace('message', 'untraced-in');
    await line(traceIdOf(traceparent), 'event stored');
    await event('MessageReceived', traceparent);
  });

  it('leads from the request to the send, the call, the message, its statuses, and the events', async () => {
    await client.userWrites(USER, { text: 'Where is my parcel?' });
    const request = { requestId: 'traced-out', platformContactId: USER, messageText: 'On its way.' };
    const fifo = { groupId: USER, id: 'traced-out' };
    const { traceId, traceparent } = outbound;
    // Otherwise, the status can arrive before the message is recorded, and is then published in its own trace.
    await client.control('PATCH', `/users/${USER}`, { device: 'off' });
    await client.putMessage(cloud.sendQueueUrl, JSON.stringify(request), fifo, { traceparent });

    await line(traceId, 'send accepted');
    const { messageId } = await item('SEND#traced-out SEND', 'messageId');
    expect(await item('SEND#traced-out SEND')).toMatchObject({ state: 'accepted', traceparent });
    const calls = await callsOf(traceId);
    expect(calls).toMatchObject([{ path: '/api/v1.0/message/v3', messageId }]);
    // Its own span in the same trace.
    expect(calls[0].traceparent).not.toBe(traceparent);
    await item(`MESSAGE#${messageId} MESSAGE`);
    await client.control('PATCH', `/users/${USER}`, { device: 'on' });
    await client.userReads(USER);
    for (const status of ['deliveredAt', 'readAt']) {
      expect(await item(`MESSAGE#${messageId} MESSAGE`, status)).toMatchObject({ traceparent });
    }
    await line(traceId, 'event stored', { id: messageId, event: 'status' });
    for (const name of ['SendAccepted', 'MessageDelivered', 'MessageRead']) {
      expect((await event(name, traceparent)).detail).toMatchObject({ messageId });
    }
    expect(await parley('status', 'traced-out')).toContain(`trace ${traceId}`);
  });

  it('is named by the command that queues a request', async () => {
    const out = await parley('send', USER, '--text', 'Hi', '--request-id', 'from-command');
    const traceparent = startTrace('send', 'from-command');
    expect(out).toContain(`Trace ${traceIdOf(traceparent)}`);
    await event('SendAccepted', traceparent);
  });

  it('does not outlive an erasure of the contact', async () => {
    await parley('erase', USER, '--yes');
    await waitFor('the trace is gone', async () => {
      const items = JSON.stringify(Object.values(await client.table()));
      return items.includes(outbound.traceId) || items.includes(inbound.traceId) ? undefined : true;
    });
  });
});
