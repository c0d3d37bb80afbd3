/** DynamoDB allows 2,048 bytes in a partition key; half of that leaves ample room for the prefix of an event's ID. */
export const MAX_ID_BYTES = 1024;

/** Whether a value can be part of a key. */
export const isKeyPart = (value: string): boolean =>
  value !== '' && value.isWellFormed() && Buffer.byteLength(value) <= MAX_ID_BYTES;
