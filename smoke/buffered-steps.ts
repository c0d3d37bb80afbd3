import { randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { listDeadLetters } from '../cli/operations/dead-letter-queue.ts';
import { countAllMessages } from '../lambdas/adapters/sqs-backlog.ts';
import { eventually, NotYet } from './eventually.ts';
import { expect, findItem, itemOf } from './smoke-checks.ts';
import type { SmokeStage, SmokeStep } from './smoke-stage.ts';
import { signBytes } from './webhook-signer.ts';

// What a buffered ingress assumes of API Gateway and SQS, whose documents say it only in part. Each step asks the deployed
// stage by what becomes of a request, because the function takes the messages from the queue.

const DIRECT = 'not checked, because webhook.ingress is direct';
const NOT_OURS = 'not checked, because only the sandbox can sign requests, or because they have an envelope';

const isBuffered = ({ settings }: SmokeStage): boolean => settings.webhook.ingress === 'buffered';

const CONTENT_TYPES = [
  'application/json',
  'text/json',
  'text/plain',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
];

/** Posts exactly these bytes and header names. `fetch` would change the names to lower case and add headers. */
const postBytes = (url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<number> =>
  new Promise((resolve, reject) => {
    const { request } = url.startsWith('https:') ? https : http;
    const options = { method: 'POST', headers, timeout: 30_000 };
    const outgoing = request(url, options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error(`${url} does not respond.`)));
    outgoing.once('error', reject).end(body);
  });

/** Returns the headers with names such as `Webhook-Id`. */
const capitalized = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.replace(/(?<=^|-)[a-z]/g, (one) => one.toUpperCase()), value]),
  );

/** The time of a request is API Gateway's, whose clock may differ from this machine's. */
const CLOCKS_DIFFER_MS = 10_000;

/** Parsed and written as JSON again, it would have other bytes. */
const oddlyWritten = ({ settings }: SmokeStage, user: string, id: string): Buffer =>
  Buffer.from(
    `{ "_id_" :"${id}",\n\t"FROM":"${user}", "CHAT_PLATFORM_ID": "${settings.chatPlatform}",` +
      '"MESSAGE":"\\u00e9 ñ 😀 \\"quoted\\" & + % / \\\\", "N": 1.0 }\r\n',
  );

export const BUFFERED_STEPS: readonly SmokeStep[] = [
  {
    title: 'API Gateway keeps the bytes and the time of a request, whatever the case of its headers',
    async run(stage, { id, user }) {
      if (!isBuffered(stage)) return DIRECT;
      const messageId = `smoke-bytes-${id}`;
      const body = oddlyWritten(stage, user, messageId);
      const headers = await signBytes(stage, body);
      if (headers === undefined) return NOT_OURS;
      const postedAt = stage.now().getTime();
      // Without a content type, which counts as JSON.
      const status = await postBytes(stage.target.addresses.webhookUrl, capitalized(headers), body);
      expect(status === 200, 'the webhook answers 200', status);
      const item = await itemOf(stage, `MESSAGE#${messageId}`, 'MESSAGE', ({ body }) => body !== undefined);
      expect(item.body === body.toString(), 'the stored body is the posted one', JSON.stringify(item.body));
      const lateMs = Date.parse(String(item.createdAt)) - postedAt;
      expect(Math.abs(lateMs) < CLOCKS_DIFFER_MS, 'an event without a time has that of its request', item.createdAt);
      return `${body.length} bytes, ${lateMs} ms after the post`;
    },
  },
  {
    title: 'A content type may name a character set',
    async run(stage, { id, user }) {
      if (!isBuffered(stage)) return DIRECT;
      for (const [index, type] of CONTENT_TYPES.entries()) {
        const messageId = `smoke-type-${index}-${id}`;
        const body = oddlyWritten(stage, user, messageId);
        const headers = await signBytes(stage, body);
        if (headers === undefined) return NOT_OURS;
        const typed = { 'Content-Type': `${type}; charset=UTF-8`, ...headers };
        const status = await postBytes(stage.target.addresses.webhookUrl, typed, body);
        expect(status === 200, `the webhook answers 200 for ${type}; charset=UTF-8`, status);
        await itemOf(stage, `MESSAGE#${messageId}`, 'MESSAGE', ({ direction }) => direction === 'inbound');
      }
      return CONTENT_TYPES.join(', ');
    },
  },
  {
    title: 'A request without credentials is dropped, and no header can add a field to it',
    async run(stage, { id, user }) {
      if (!isBuffered(stage)) return DIRECT;
      if (stage.settings.webhook.auth.kind === 'insecure-none') {
        return 'not checked, because webhook.auth is insecure-none';
      }
      const { target, patienceMs } = stage;
      const { webhookUrl, inboundQueueUrl, inboundDeadLetterQueueUrl } = target.addresses;
      const messageId = `smoke-unsigned-${id}`;
      const deadLetters = await countAllMessages(target.sqs, inboundDeadLetterQueueUrl);
      const headers = { 'Content-Type': 'application/json', 'Webhook-Id': '"]],"encoding":"json","rawBody":{' };
      const status = await postBytes(webhookUrl, headers, oddlyWritten(stage, user, messageId));
      expect(status === 200, 'the webhook answers 200, also if the header with the credentials is missing', status);
      await eventually('the inbound queue is empty', patienceMs, async () => {
        const waiting = await countAllMessages(target.sqs, inboundQueueUrl);
        return waiting === 0 ? true : new NotYet(`${waiting} messages`);
      });
      const item = await findItem(stage, `MESSAGE#${messageId}`, 'MESSAGE');
      expect(item === undefined, 'nothing is stored', 'the message');
      const after = await countAllMessages(target.sqs, inboundDeadLetterQueueUrl);
      expect(after === deadLetters, 'nothing is quarantined', `${after - deadLetters} dead letters`);
      return '200, then dropped';
    },
  },
  {
    title: 'Bytes that are not text are quarantined as they are',
    async run(stage) {
      if (!isBuffered(stage)) return DIRECT;
      const { target, patienceMs } = stage;
      const body = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00, 0x0a]), randomBytes(64)]);
      const headers = await signBytes(stage, body);
      if (headers === undefined) return NOT_OURS;
      const type = { 'Content-Type': 'application/octet-stream' };
      const status = await postBytes(target.addresses.webhookUrl, { ...type, ...headers }, body);
      expect(status === 200, 'the webhook answers 200', status);
      const queue = { sqs: target.sqs, url: target.addresses.inboundDeadLetterQueueUrl };
      return eventually('these bytes are a dead letter of the inbound queue', patienceMs, async () => {
        const { deadLetters } = await listDeadLetters(queue, {}, 10);
        const found = deadLetters.some((one) => one.body.includes(body.toString('base64')));
        return found ? `${body.length} bytes` : new NotYet(`${deadLetters.length} other dead letters`);
      });
    },
  },
  {
    title: 'What the queue cannot take is refused',
    async run(stage) {
      if (!isBuffered(stage)) return DIRECT;
      const { webhookUrl } = stage.target.addresses;
      const answers = [
        ['413', 'a body of 1 MiB', webhookUrl, 'application/json', randomBytes(1024 * 1024)],
        ['413', 'a body of 5 MiB', webhookUrl, 'application/json', randomBytes(5 * 1024 * 1024)],
        ['415', 'an image', webhookUrl, 'image/png', Buffer.from('x')],
        ['404', 'an unknown path', `${webhookUrl}/1/2`, 'application/json', Buffer.from('{}')],
      ] as const;
      for (const [expected, what, url, type, body] of answers) {
        const status = await postBytes(url, { 'Content-Type': type }, body);
        expect(String(status) === expected, `${expected} for ${what}`, status);
      }
      return answers.map(([status, what]) => `${status} for ${what}`).join(', ');
    },
  },
];
