import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { messageGroup } from '../../lambdas/domain/message-group.ts';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import type { RowRequest } from './plan.ts';

export type GoodRequest = Extract<RowRequest, { kind: 'request' }>;

/** Batches that are on their way at once. */
const LANES = 8;
/** SQS takes ten messages and a mebibyte a batch. */
const BATCH_MESSAGES = 10;
const BATCH_BYTES = 900_000;
const ATTEMPTS = 6;

/**
 * Puts requests on the send queue; a contact's stay in order, as all of them take one lane.
 *
 * @throws CliError when SQS refuses a message again and again; the others of its lane behind it were not put.
 */
export const putRequests = async (
  sqs: SQSClient,
  queueUrl: string,
  requests: readonly GoodRequest[],
): Promise<void> => {
  const lanes = Map.groupBy(requests, ({ contact }) => laneOf(contact));
  await Promise.all(
    [...lanes.values()].map(async (lane) => {
      for (const batch of batchesOf(lane)) await putBatch(sqs, queueUrl, batch);
    }),
  );
};

const laneOf = (contact: string): number => (createHash('sha256').update(contact).digest()[0] ?? 0) % LANES;

function* batchesOf(requests: readonly GoodRequest[]): Generator<GoodRequest[]> {
  let batch: GoodRequest[] = [];
  let bytes = 0;
  for (const request of requests) {
    const size = Buffer.byteLength(request.body);
    if (batch.length === BATCH_MESSAGES || (batch.length > 0 && bytes + size > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(request);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** What SQS fails of a batch is repeated alone, after a pause. */
const putBatch = async (sqs: SQSClient, queueUrl: string, batch: readonly GoodRequest[]): Promise<void> => {
  let left = batch;
  let why = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (attempt > 0) await pause(100 * 2 ** attempt);
    const { Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: left.map(({ body, contact, requestId }, index) => ({
          Id: String(index),
          MessageBody: body,
          MessageGroupId: messageGroup(contact),
          MessageDeduplicationId: requestId,
        })),
      }),
    );
    if (Failed.length === 0) return;
    const failed = new Set(Failed.map(({ Id }) => Id));
    why = `${Failed[0]?.Code}: ${Failed[0]?.Message}`;
    left = left.filter((_, index) => failed.has(String(index)));
  }
  throw new CliError(
    EXIT.failed,
    `SQS does not take the request ${left[0]?.requestId} (${why}); mend that and start the same command again to go on.`,
  );
};
