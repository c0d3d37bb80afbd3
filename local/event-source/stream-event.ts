import type { _Record, AttributeValue } from '@aws-sdk/client-dynamodb-streams';

/** A record of a stream as Lambda hands it to a function. */
export interface StreamRecord {
  readonly eventName: string;
  readonly eventSourceARN: string;
  readonly dynamodb: {
    readonly ApproximateCreationDateTime: number;
    readonly Keys: unknown;
    readonly SequenceNumber: string;
  };
}

/**
 * @param offsetMs How far the run's clock is ahead of the emulator's, which tells the machine's time.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html, "Example event"
 */
export const streamRecord = (
  { eventID, eventName, eventVersion, dynamodb = {} }: _Record,
  eventSourceARN: string,
  awsRegion: string,
  offsetMs: number,
): StreamRecord => {
  const { ApproximateCreationDateTime, Keys, NewImage, OldImage, SequenceNumber, SizeBytes, StreamViewType } = dynamodb;
  return {
    eventName: eventName ?? '',
    eventSourceARN,
    ...{ eventID, eventVersion, eventSource: 'aws:dynamodb', awsRegion },
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

/** JSON has no bytes: they are base64, as in the stream's own protocol. */
const attribute = (value: AttributeValue): unknown => {
  if (value.B) return { B: base64(value.B) };
  if (value.BS) return { BS: value.BS.map(base64) };
  if (value.L) return { L: value.L.map(attribute) };
  if (value.M) return { M: image(value.M) };
  return value;
};

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
