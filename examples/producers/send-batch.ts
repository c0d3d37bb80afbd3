/**
 * Queues many send requests, up to ten per call, from a file with one JSON object per line.
 *
 *   node examples/producers/send-batch.ts requests.jsonl
 *
 * Needs SEND_QUEUE_URL, and in an account `sqs:SendMessage` on the queue. See examples/README.md.
 *
 * A batch can fail in part: the call succeeds, and its answer lists the entries that failed. Entries that failed at SQS
 * are retried; entries that SQS refuses are reported. It is safe to run this again, because each request has its own ID.
 * If the order of a contact's messages matters, put only one of them in a batch: a retry changes the order.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SendRequest } from '@parleyhq/parley/events';
import { messageGroupId } from '../message-group-id.ts';

const MAX_ENTRIES = 10;
const MAX_BATCH_BYTES = 1024 * 1024;
const MAX_ATTEMPTS = 5;

/** Splits requests into batches that SQS accepts: at most ten entries, and 1 MiB in total. */
const batchesOf = (requests: readonly SendRequest[]): readonly (readonly SendRequest[])[] => {
  const batches: SendRequest[][] = [];
  let size = 0;
  for (const request of requests) {
    const length = Buffer.byteLength(JSON.stringify(request));
    const last = batches.at(-1);
    if (last && last.length < MAX_ENTRIES && size + length <= MAX_BATCH_BYTES) {
      last.push(request);
      size += length;
    } else {
      batches.push([request]);
      size = length;
    }
  }
  return batches;
};

/** Queues requests. Returns those that were not queued, each with the reason. */
export const queueSends = async (sqs: SQSClient, queueUrl: string, requests: readonly SendRequest[]) => {
  const notQueued: { requestId: string; reason: string }[] = [];
  for (let batch of batchesOf(requests)) {
    for (let attempt = 1; batch.length > 0; attempt += 1) {
      const { Failed = [] } = await sqs.send(
        new SendMessageBatchCommand({
          QueueUrl: queueUrl,
          Entries: batch.map((request, index) => ({
            Id: String(index),
            MessageGroupId: messageGroupId(request.platformContactId ?? request.customerId ?? ''),
            MessageDeduplicationId: request.requestId,
            MessageBody: JSON.stringify(request),
          })),
        }),
      );
      const failed = batch.flatMap((request, index) => {
        const failure = Failed.find(({ Id }) => Id === String(index));
        return failure ? [{ request, failure }] : [];
      });
      const isFinal = ({ failure }: (typeof failed)[number]) => failure.SenderFault || attempt === MAX_ATTEMPTS;
      for (const { request, failure } of failed.filter(isFinal)) {
        notQueued.push({ requestId: request.requestId, reason: `${failure.Code}: ${failure.Message}` });
      }
      batch = failed.filter((one) => !isFinal(one)).map(({ request }) => request);
      if (batch.length > 0) await pause(Math.random() * 100 * 2 ** attempt);
    }
  }
  return notQueued;
};

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  const { SEND_QUEUE_URL } = process.env;
  if (!SEND_QUEUE_URL || !file) throw new Error('Usage: SEND_QUEUE_URL=… node send-batch.ts FILE');
  // Refuses a file that is not UTF-8, and removes a byte order mark.
  const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  const requests: readonly SendRequest[] = text
    .split(/\r?\n/)
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const notQueued = await queueSends(new SQSClient(), SEND_QUEUE_URL, requests);
  for (const { requestId, reason } of notQueued) console.error(`${requestId} is not queued: ${reason}`);
  console.log(`${requests.length - notQueued.length} of ${requests.length} are queued.`);
  process.exitCode = notQueued.length > 0 ? 1 : 0;
}
