import { createHash } from 'node:crypto';
import type { MessageAttribute } from './queue.ts';

interface Content {
  readonly MessageBody: string;
  readonly MessageAttributes: Readonly<Record<string, MessageAttribute>>;
}

/** Returns the size that counts toward SQS's limits: the body and the attributes' names, types, and values. */
export const messageBytes = ({ MessageBody, MessageAttributes }: Content): number =>
  Object.entries(MessageAttributes).reduce(
    (bytes, [name, attribute]) =>
      bytes + Buffer.byteLength(name) + Buffer.byteLength(attribute.DataType) + bytesOfValue(attribute).length,
    Buffer.byteLength(MessageBody),
  );

export const md5 = (content: string | Buffer): string => createHash('md5').update(content).digest('hex');

/**
 * Returns the digest of attributes. Returns undefined if there are none.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html,
 * "Calculating the MD5 message digest for message attributes"
 */
export const md5OfAttributes = (attributes: Readonly<Record<string, MessageAttribute>>): string | undefined => {
  const entries = Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return undefined;
  const parts = entries.flatMap(([name, attribute]) => [
    withLength(name),
    withLength(attribute.DataType),
    Buffer.of(attribute.StringValue === undefined ? 2 : 1),
    withLength(bytesOfValue(attribute)),
  ]);
  return md5(Buffer.concat(parts));
};

const bytesOfValue = ({ StringValue, BinaryValue }: MessageAttribute): Buffer =>
  StringValue === undefined ? Buffer.from(BinaryValue ?? '', 'base64') : Buffer.from(StringValue);

const withLength = (content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};
