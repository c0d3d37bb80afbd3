import * as z from './schema.ts';
import { type OpenTurn, parseOpenTurn } from './turns/turn.ts';

/** What a message in the queue for publish failures contains. */
export type PublishFailure =
  /** A complete record of the table's stream, from `publish`. */
  | { readonly kind: 'record'; readonly record: unknown }
  /** The key of a changed item, from `publish`. The record was too large for the queue. */
  | { readonly kind: 'key'; readonly pk: string; readonly sk: string }
  /** A range of the table's stream, from Lambda. */
  | { readonly kind: 'range'; readonly range: StreamRange }
  /** An event, from EventBridge, which could not encrypt or decrypt it. */
  | { readonly kind: 'event'; readonly event: DeadEvent }
  /** An open turn, from the turn queue. It could not be ended. */
  | { readonly kind: 'turn'; readonly turn: OpenTurn }
  | { readonly kind: 'unreadable' };

/** Consecutive records of a shard of the table's stream, which keeps records for 24 hours. */
export interface StreamRange {
  readonly streamArn: string;
  readonly shardId: string;
  /** The sequence numbers of the first and the last record. */
  readonly start: string;
  readonly end: string;
  /** The number of records, of which Lambda's filter may have let through only some. */
  readonly count: number;
}

/** An event of Parley as EventBridge delivers it. */
export interface DeadEvent {
  /** The id in its detail. */
  readonly id: string;
  readonly name: string;
  /** When it happened, in ISO 8601. */
  readonly time: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

const number = z.string().check(z.regex(/^\d{1,40}$/));

/**
 * What Lambda writes about a batch of a stream that it gave up on.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
const discardedBatch = z.object({
  requestContext: z.object({ condition: z.string().check(z.regex(/^\w{1,64}$/)) }),
  DDBStreamBatchInfo: z.object({
    streamArn: z.string(),
    shardId: z.string(),
    startSequenceNumber: number,
    endSequenceNumber: number,
    batchSize: z.number().check(z.minimum(1), z.maximum(10_000)),
  }),
});

const streamKey = z.object({ pk: z.object({ S: z.string() }), sk: z.object({ S: z.string() }) });
const storedFailure = z.object({ record: z.optional(z.record(z.string(), z.unknown())), keys: z.optional(streamKey) });

const eventEnvelope = z.object({
  source: z.literal('parley'),
  'detail-type': z.string(),
  time: z.string(),
  detail: z.looseObject({ id: z.string() }),
});

/** Parses a message of the queue for publish failures. */
export const parsePublishFailure = (body: string): PublishFailure => {
  const json = z.parseJson(body);
  const batch = z.safeParse(discardedBatch, json).data?.DDBStreamBatchInfo;
  if (batch !== undefined) {
    const { streamArn, shardId, startSequenceNumber: start, endSequenceNumber: end, batchSize: count } = batch;
    return { kind: 'range', range: { streamArn, shardId, start, end, count } };
  }
  const event = parseDeadEvent(body);
  if (event !== undefined) return { kind: 'event', event };
  const turn = parseOpenTurn(body);
  if (turn !== undefined) return { kind: 'turn', turn };
  const { record, keys } = z.safeParse(storedFailure, json).data ?? {};
  if (record !== undefined) return { kind: 'record', record };
  return keys === undefined ? { kind: 'unreadable' } : { kind: 'key', pk: keys.pk.S, sk: keys.sk.S };
};

/** Parses an event that a target did not accept. Returns undefined if it is not an event of Parley. */
export const parseDeadEvent = (body: string): DeadEvent | undefined => {
  const { data } = z.safeParse(eventEnvelope, z.parseJson(body));
  return data && { id: data.detail.id, name: data['detail-type'], time: data.time, detail: data.detail };
};

/** Returns why Lambda gave up on changes, or undefined if the body is not about that. */
export const discardedBatchReason = (body: string): string | undefined => {
  const { data } = z.safeParse(discardedBatch, z.parseJson(body));
  if (data === undefined) return undefined;
  const { batchSize } = data.DDBStreamBatchInfo;
  return `${data.requestContext.condition}: ${batchSize} ${batchSize === 1 ? 'change' : 'changes'}`;
};
