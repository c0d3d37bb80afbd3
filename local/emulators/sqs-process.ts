/** The process of the SQS emulator: fauxqs on the run's clock, with three corrections that make it behave like SQS. */
import type { IncomingHttpHeaders } from 'node:http';
import { buildApp } from 'fauxqs';
import { z } from 'zod';
import { installShiftedClock } from '../clock.ts';
import { isObject } from '../json.ts';

/**
 * The characters that SQS rejects, which are those that XML 1.0 does not allow.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const INVALID_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

const characterRule = z.object({ INVALID_MESSAGE_BODY_CHAR: z.instanceof(RegExp) });

/**
 * Makes fauxqs accept every character that SQS accepts. Its own rule ends at U+FFFD and therefore rejects emoji. The
 * rule is a constant in the package, so this function replaces its `test` method.
 *
 * @throws ZodError if the package no longer has this rule. In this case, remove this function.
 */
const acceptAllCharacters = async (): Promise<void> => {
  const rules: unknown = await import(new URL('./sqs/sqsTypes.js', import.meta.resolve('fauxqs')).href);
  const { INVALID_MESSAGE_BODY_CHAR: rule } = characterRule.parse(rules);
  rule.test = (text) => INVALID_CHARACTER.test(text);
};

/** Separates a group id from a deduplication id. Neither can contain it. */
const SEPARATOR = '\u0000';
// Matches only keys in the JSON of a response, because quotation marks inside strings are escaped.
const SCOPED_ID = /("MessageDeduplicationId":")(?:[^"\\]|\\.)*?\\u0000/g;

/**
 * Adds `DeduplicationScope: messageGroup` to fauxqs, which deduplicates only per queue. Makes deduplication ids unique
 * per group in requests, and restores them in responses.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/high-throughput-fifo.html
 */
const createGroupDeduplication = () => {
  const scopedQueues = new Set<unknown>();
  return {
    scopeRequest(action: string, body: unknown): void {
      if (!isObject(body)) return;
      if (action === 'CreateQueue') {
        const { Attributes } = body;
        if (isObject(Attributes) && Attributes.DeduplicationScope === 'messageGroup') scopedQueues.add(body.QueueName);
      } else if (scopedQueues.has(String(body.QueueUrl).split('/').at(-1))) {
        for (const message of [body, ...(Array.isArray(body.Entries) ? body.Entries : [])]) scopeMessage(message);
      }
    },
    unscopeResponse: (body: string): string => body.replaceAll(SCOPED_ID, '$1'),
  };
};

const scopeMessage = (message: unknown): void => {
  if (!isObject(message) || typeof message.MessageDeduplicationId !== 'string') return;
  message.MessageDeduplicationId = `${message.MessageGroupId}${SEPARATOR}${message.MessageDeduplicationId}`;
};

/** Replaces the host name that fauxqs puts into queue URLs, because not every resolver resolves it. */
const useLoopbackAddress = (body: string): string =>
  body.replaceAll(/http:\/\/sqs\.[\w-]+\.localhost:/g, 'http://127.0.0.1:');

const actionOf = (headers: IncomingHttpHeaders): string => String(headers['x-amz-target']).replace('AmazonSQS.', '');

const setClock = installShiftedClock();
const clockMove = z.object({ offsetMs: z.number() });

// The run that started this process holds the other end of the channel.
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  setClock(clockMove.parse(message).offsetMs);
  process.send?.({ moved: true });
});

await acceptAllCharacters();
const groups = createGroupDeduplication();
// `startFauxqs` would listen on every interface of the machine.
const app = buildApp({ logger: false });
app.addHook('preHandler', async ({ headers, body }) => groups.scopeRequest(actionOf(headers), body));
app.addHook('onSend', async ({ headers }, _reply, payload) => {
  if (typeof payload !== 'string') return payload;
  const action = actionOf(headers);
  if (action === 'ReceiveMessage') return groups.unscopeResponse(payload);
  return ['CreateQueue', 'GetQueueUrl', 'ListQueues'].includes(action) ? useLoopbackAddress(payload) : payload;
});
const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
process.send?.({ port: Number(url.port) });
