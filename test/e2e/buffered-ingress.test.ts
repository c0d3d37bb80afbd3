import { createHmac, randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_BUFFERED_BODY_BYTES } from '../../lambdas/domain/serialized-request.ts';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { wireMessage } from '../support/builders.ts';
import { startCommandRun } from '../support/command-run.ts';

// API Gateway puts webhook requests on the queue, without a function on the way; `receive` verifies them from there.

const AUTHS = {
  'shared-token': { kind: 'shared-token', header: 'Auth-BM-Token' },
  'standard-webhooks': { kind: 'standard-webhooks' },
  'pubsub-jwt': undefined,
} as const;

const startBuffered = async (kind: keyof typeof AUTHS, settings: Readonly<Record<string, unknown>> = {}) => {
  const auth = AUTHS[kind];
  const base = { kind: 'pubsub-jwt', audience: 'https://parley.example/webhook', serviceAccountEmail: 'p@x.example' };
  const run = await startCommandRun({
    settings: { ...settings, webhook: { auth: auth ?? base, ingress: 'buffered' } },
  });
  return {
    ...run,
    itemOf: (id: string) =>
      waitFor(`${id} is stored`, async () => (await run.client.table())[`MESSAGE#${id} MESSAGE`] ?? undefined),
    [Symbol.asyncDispose]: () => run[Symbol.asyncDispose](),
  };
};

const tokenOf = (cloud: LocalCloud): string => {
  const secret = cloud.emulators.secrets.find(cloud.webhookSecretId ?? '');
  return secret?.versions[0]?.secretString ?? '';
};
const replaceSecret = (cloud: LocalCloud, text: string): void => {
  const secret = cloud.emulators.secrets.find(cloud.webhookSecretId ?? '');
  if (secret) cloud.emulators.secrets.put(secret, text);
};

/** Posts exactly these headers and bytes. */
const post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    outgoing.on('error', reject).end(body);
  });

describe.each(Object.keys(AUTHS) as (keyof typeof AUTHS)[])('a stage with buffered ingress and %s', (kind) => {
  it('does the main job: a user writes, and gets an answer', async () => {
    await using run = await startBuffered(kind);
    const id = await run.client.userWrites('+5491155600001', { text: 'Hola' });
    expect(await run.itemOf(id)).toMatchObject({ direction: 'inbound' });
    await run.client.enqueue({ requestId: 'answer', platformContactId: '+5491155600001', messageText: 'Hi' });
    await waitFor('the answer is delivered', async () => {
      const send = (await run.client.table())['SEND#answer SEND'];
      return send?.state === 'accepted' ? send : undefined;
    });
    // Every delivery is answered by API Gateway.
    expect((await run.client.deliveries()).every(({ status }) => status == null || status === 200)).toBe(true);
  });
});

describe('a request to the webhook of a stage with buffered ingress', () => {
  it('is not lost while the secret cannot be read for an hour, and keeps the time of its arrival', async () => {
    await using run = await startBuffered('standard-webhooks');
    const secret = tokenOf(run.cloud);
    // No secret was read yet, so that none is cached.
    replaceSecret(run.cloud, ' ');
    const arrived = run.cloud.clock.now().getTime();
    const sign = (id: string, body: Buffer) => {
      const timestamp = String(Math.floor(arrived / 1000));
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      const signed = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
      return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signed}` };
    };
    // It has no time of its own.
    const body = Buffer.from(JSON.stringify({ ...wireMessage({ _id_: 'waited' }), CREATION_TIME: undefined }));
    const answer = await post(run.cloud.webhookUrl, { 'Content-Type': 'application/json', ...sign('m1', body) }, body);
    expect(answer).toEqual({ status: 200, body: '{"message":"OK"}' });
    await waitFor('the function has tried to verify it', async () => {
      const lines = globSync(join(run.folder, 'logs', '*')).map((file) => readFileSync(file, 'utf8'));
      return lines.some((text) => text.includes('it waits in the inbound queue')) || undefined;
    });
    await run.client.advanceClock(3600);
    expect((await run.client.table())['MESSAGE#waited MESSAGE']).toBeUndefined();
    replaceSecret(run.cloud, secret);
    await run.client.advanceClock(120);
    const { createdAt } = await run.itemOf('waited');
    expect(Math.abs(Date.parse(String(createdAt)) - arrived)).toBeLessThan(60_000);
  });

  it('is verified again when it became a dead letter before it could be verified, and is redriven', async () => {
    await using run = await startBuffered('shared-token');
    const { webhookUrl, inboundQueueUrl, inboundDeadLetterQueueUrl } = run.cloud;
    const token = tokenOf(run.cloud);
    replaceSecret(run.cloud, ' ');
    const bodyOf = (id: string) => JSON.stringify(wireMessage({ _id_: id }));
    await post(webhookUrl, { 'auth-bm-token': token }, bodyOf('redriven'));
    await post(webhookUrl, { 'auth-bm-token': 'a-wrong-token-123' }, bodyOf('wrong'));
    const bodies: string[] = [];
    const taken = await waitFor('both requests are taken from the queue', async () => {
      await run.client.advanceClock(60);
      bodies.push(...(await run.client.takeMessages(inboundQueueUrl)).map(({ body }) => body));
      return bodies.length >= 2 ? bodies : undefined;
    });
    // As SQS does after 1,000 receives.
    for (const body of taken) await run.client.putMessage(inboundDeadLetterQueueUrl, body);
    const listed = await run.parley(['dead-letters', 'list', 'inbound', '--json']);
    expect(listed.out).toMatch(/unverified: maximum receives exceeded/);
    replaceSecret(run.cloud, token);
    expect(await run.parley(['dead-letters', 'redrive', 'inbound'])).toMatchObject({ code: 0 });
    await run.itemOf('redriven');
    await waitFor('the other one is dropped', async () => {
      await run.client.advanceClock(15);
      return (await run.client.queueDepth(inboundQueueUrl)) === 0 ? true : undefined;
    });
    expect((await run.client.table())['MESSAGE#wrong MESSAGE']).toBeUndefined();
    expect(await run.client.queueDepth(inboundDeadLetterQueueUrl)).toBe(0);
  });

  it('is neither stored nor kept when it is not authentic, whatever its headers and body contain', async () => {
    await using run = await startBuffered('shared-token');
    const { webhookUrl, inboundQueueUrl, inboundDeadLetterQueueUrl } = run.cloud;
    const event = JSON.stringify(wireMessage({ _id_: 'injected' }));
    const verifiedForm = JSON.stringify({ receivedAt: '2026-11-20T12:00:00.000Z', encoding: 'json', rawBody: event });
    for (const [headers, body] of [
      [{}, event],
      [{ 'auth-bm-token': 'a-wrong-token-123' }, event],
      [{ 'auth-bm-token': `"],"x":["\\"${String.fromCharCode(0xe9)}` }, event],
      [{ 'x-amzn-requestid': '","encoding":"json","rawBody":"' }, verifiedForm],
      [{ 'content-type': 'text/plain' }, `"}&Action=SendMessage&MessageBody=${encodeURIComponent(verifiedForm)}`],
      [{}, ''],
    ] as const) {
      const answer = await post(webhookUrl, { 'content-type': 'application/json', ...headers }, body);
      expect(answer).toEqual({ status: 200, body: '{"message":"OK"}' });
    }
    // A first rejection is final only once the secret has been read after the request arrived.
    await waitFor('all are dropped', async () => {
      await run.client.advanceClock(15);
      return (await run.client.queueDepth(inboundQueueUrl)) === 0 ? true : undefined;
    });
    expect((await run.client.table())['MESSAGE#injected MESSAGE']).toBeUndefined();
    expect(await run.client.queueDepth(inboundDeadLetterQueueUrl)).toBe(0);
    // After that, an authentic one is stored.
    const authentic = { 'AUTH-BM-Token': tokenOf(run.cloud) };
    await post(webhookUrl, authentic, JSON.stringify(wireMessage({ _id_: 'authentic' })));
    await run.itemOf('authentic');
  });

  it('keeps its bytes, its number, and its size limit', async () => {
    await using run = await startBuffered('shared-token', { window: { per: 'channel' } });
    const { webhookUrl, inboundDeadLetterQueueUrl } = run.cloud;
    const headers = { 'auth-bm-token': tokenOf(run.cloud) };
    const notUtf8 = Buffer.concat([Buffer.from('{"_id_":"'), Buffer.from([0xff, 0xfe, 0x00]), Buffer.from('"}')]);
    expect(await post(webhookUrl, headers, notUtf8)).toMatchObject({ status: 200 });
    const quarantined = await waitFor('the body is quarantined', async () => {
      const [message] = await run.client.takeMessages(inboundDeadLetterQueueUrl);
      return message;
    });
    expect(quarantined.reason).toBe('The event is not UTF-8.');
    expect(Buffer.from(JSON.parse(quarantined.body).rawBody, 'base64')).toEqual(notUtf8);

    await post(`${webhookUrl}/%2B5491100000099`, headers, JSON.stringify(wireMessage({ _id_: 'numbered' })));
    expect(await run.itemOf('numbered')).toMatchObject({ contact: expect.stringContaining('100000099#') });

    const largest = randomBytes(MAX_BUFFERED_BODY_BYTES);
    expect(await post(webhookUrl, { ...headers, 'x-pad': 'x'.repeat(9_000) }, largest)).toMatchObject({ status: 200 });
    expect(await post(webhookUrl, headers, randomBytes(1024 * 1024))).toEqual({
      status: 413,
      body: '{"message":"Payload Too Large"}',
    });
    expect(await post(webhookUrl, { ...headers, 'content-type': 'image/png' }, 'x')).toMatchObject({ status: 415 });
    expect(await post(`${webhookUrl}/1/2`, headers, 'x')).toEqual({ status: 404, body: '{"message":"Not Found"}' });
  });
});
