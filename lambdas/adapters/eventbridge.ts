import type { PutEventsResponse, PutEventsResultEntry } from '@aws-sdk/client-eventbridge';
import { summarizeError } from '../domain/describe-error.ts';
import type { SerializedEvent } from '../domain/events/serialize-event.ts';
import type { EventBus, PublishResult } from '../ports.ts';
import { type AwsJsonClientOptions, createAwsJsonClient } from './aws-json-client.ts';

/** Identifies Parley's events on a bus that other systems share. */
const SOURCE = 'parley';

/**
 * The error codes of entries for which no retry can succeed.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html
 */
const PERMANENT_ERRORS = new Set(['MalformedDetail', 'InvalidArgument']);

/**
 * The errors with which EventBridge refuses a whole call because of what is in it.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/APIReference/CommonErrors.html
 */
const REFUSED_CALLS = new Set([
  'ValidationError',
  'ValidationException',
  'SerializationException',
  'RequestEntityTooLarge',
  'RequestEntityTooLargeException',
]);

/** An entry of a PutEvents call, in the form of EventBridge's protocol. */
export interface EventEntry {
  readonly EventBusName: string;
  readonly Source: string;
  readonly DetailType: string;
  /** In seconds since the epoch. */
  readonly Time: number;
  readonly Detail: string;
}

/** Calls EventBridge. */
export interface EventBridgeClient {
  /** @throws AwsServiceError if EventBridge returns an error, or Node.js's error if there is no response. */
  putEvents(entries: readonly EventEntry[]): Promise<Pick<PutEventsResponse, 'Entries'>>;
}

/** Source: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
const EVENT_BRIDGE = {
  signingName: 'events',
  targetPrefix: 'AWSEvents',
  jsonVersion: '1.1',
  // As in the SDK.
  retryBaseMs: 50,
} as const;

export const createEventBridgeClient = (options: AwsJsonClientOptions): EventBridgeClient => {
  const call = createAwsJsonClient(EVENT_BRIDGE, options);
  return { putEvents: (Entries) => call('PutEvents', JSON.stringify({ Entries }), JSON.parse) };
};

/** Publishes events in as few calls as possible. A failed call does not affect the others. */
export const createEventBridgeBus = (client: EventBridgeClient, busName: string): EventBus => {
  const publishBatch = async (events: readonly SerializedEvent[]): Promise<readonly PublishResult[]> => {
    try {
      const { Entries: results = [] } = await client.putEvents(
        events.map(({ name, at, detail }) => ({
          EventBusName: busName,
          Source: SOURCE,
          DetailType: name,
          Time: Date.parse(at) / 1000,
          Detail: detail,
        })),
      );
      return events.map((_event, index) => publishResult(results[index]));
    } catch (error) {
      const name = error instanceof Error ? error.name : 'Error';
      const code = systemErrorCode(error) ?? name;
      const reason = summarizeError(error);
      if (!REFUSED_CALLS.has(name)) return events.map(() => ({ kind: 'failed', code, reason }));
      if (events.length === 1) return [{ kind: 'refused', code, reason }];
      // EventBridge does not say which entry it means, and the others must not wait for it.
      return (await Promise.all(events.map((event) => publishBatch([event])))).flat();
    }
  };
  return {
    async publish(events) {
      return (await Promise.all(eventBatches(events, SOURCE).map(publishBatch))).flat();
    },
  };
};

const publishResult = (result: PutEventsResultEntry | undefined): PublishResult => {
  if (result?.EventId !== undefined && result.ErrorCode === undefined) return { kind: 'published' };
  const code = result?.ErrorCode ?? 'no result';
  return {
    kind: PERMANENT_ERRORS.has(code) ? 'refused' : 'failed',
    code,
    // Without the message, which may quote the event.
    reason: code,
  };
};

/** Returns the code of a network error, such as `ECONNREFUSED`, whose name says only `Error`. */
const systemErrorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/**
 * The limits of one PutEvents call: 10 entries, with a total size of less than 1 MB. The margin allows for rounding.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
 */
const MAX_ENTRIES = 10;
const MAX_BYTES = 1_000_000 - 1_000;

const TIME_BYTES = 14;

/**
 * Returns an entry's size as EventBridge calculates it.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html, "Calculating event entry size"
 */
export const entryBytes = ({ name, detail }: SerializedEvent, source: string): number =>
  TIME_BYTES + Buffer.byteLength(source) + Buffer.byteLength(name) + Buffer.byteLength(detail);

/** Splits events into batches in order, one per call. An event that exceeds the limit gets its own batch. */
export const eventBatches = (events: readonly SerializedEvent[], source: string): readonly SerializedEvent[][] => {
  const batches: SerializedEvent[][] = [];
  let bytes = 0;
  for (const event of events) {
    const size = entryBytes(event, source);
    const current = batches.at(-1);
    if (current === undefined || current.length === MAX_ENTRIES || bytes + size > MAX_BYTES) {
      batches.push([event]);
      bytes = size;
    } else {
      current.push(event);
      bytes += size;
    }
  }
  return batches;
};
