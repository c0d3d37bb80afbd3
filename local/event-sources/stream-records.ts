import type { _Record, AttributeValue } from '@aws-sdk/client-dynamodb-streams';
import { REGION } from '../base/aws-environment.ts';
import { PAYLOAD_LIMIT } from '../functions/invocation.ts';

/** A record of a table's stream, in the format that Lambda passes to functions. */
export interface StreamRecord {
  readonly eventName: string;
  readonly eventSourceARN: string;
  readonly dynamodb: {
    /** Seconds since the epoch. */
    readonly ApproximateCreationDateTime: number;
    readonly Keys: unknown;
    readonly SequenceNumber: string;
  };
}

/**
 * Converts a record of the stream.
 *
 * @param offsetMs How far the run's clock is ahead of the emulator's, which is the machine's.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html, "Example event"
 */
export const streamRecord = (
  { eventID, eventName, eventVersion, userIdentity, dynamodb = {} }: _Record,
  eventSourceARN: string,
  offsetMs: number,
): StreamRecord => {
  const { ApproximateCreationDateTime, Keys, NewImage, OldImage, SequenceNumber, SizeBytes, StreamViewType } = dynamodb;
  return {
    eventName: eventName ?? '',
    eventSourceARN,
    ...{ eventID, eventVersion, eventSource: 'aws:dynamodb', awsRegion: REGION },
    // Only the record of an expired item has a user identity, which is DynamoDB's.
    ...(userIdentity && { userIdentity: { type: userIdentity.Type, principalId: userIdentity.PrincipalId } }),
    dynamodb: {
      ApproximateCreationDateTime: ((ApproximateCreationDateTime?.getTime() ?? 0) + offsetMs) / 1000,
      Keys: Keys && image(Keys),
      ...(NewImage && { NewImage: image(NewImage) }),
      ...(OldImage && { OldImage: image(OldImage) }),
      SequenceNumber: SequenceNumber ?? '',
      ...{ SizeBytes, StreamViewType },
    },
  };
};

const image = (attributes: Record<string, AttributeValue>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, attribute(value)]));

/** Encodes bytes as base64, like the stream's own protocol. */
const attribute = (value: AttributeValue): unknown => {
  if (value.B) return { B: base64(value.B) };
  if (value.BS) return { BS: value.BS.map(base64) };
  if (value.L) return { L: value.L.map(attribute) };
  if (value.M) return { M: image(value.M) };
  return value;
};

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** The size of an event without its records, rounded up. */
const ENVELOPE_BYTES = 100;

/** Splits records into batches of at most `batchSize` that fit into an invocation, like Lambda. */
export const toBatches = (records: readonly StreamRecord[], batchSize: number): readonly StreamRecord[][] => {
  const batches: StreamRecord[][] = [];
  let bytes = 0;
  for (const record of records) {
    const size = Buffer.byteLength(JSON.stringify(record)) + 1;
    const current = batches.at(-1);
    if (current === undefined || current.length === batchSize || bytes + size > PAYLOAD_LIMIT - ENVELOPE_BYTES) {
      batches.push([record]);
      bytes = size;
    } else {
      current.push(record);
      bytes += size;
    }
  }
  return batches;
};

/** Splits a batch for parallel processing. Records of the same item stay in the same part, in order. */
export const toParallelParts = (
  records: readonly StreamRecord[],
  parallelizationFactor: number,
): readonly (readonly StreamRecord[])[] => {
  if (parallelizationFactor === 1) return [records];
  const parts = Map.groupBy(records, ({ dynamodb }) => {
    const key = JSON.stringify(dynamodb.Keys);
    const hash = [...key].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521, 0);
    return hash % parallelizationFactor;
  });
  return [...parts.values()];
};
