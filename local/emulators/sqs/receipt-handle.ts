/** Creates the handle of one receive of a message. */
export const createReceiptHandle = (messageId: string, receiveId: string): string =>
  Buffer.from(`${messageId} ${receiveId}`).toString('base64url');

/** Returns the id of a handle's message. Returns undefined for a handle that no queue created. */
export const messageIdOf = (receiptHandle: string): string | undefined =>
  /^([0-9a-f-]{36}) [0-9a-f-]{36}$/.exec(Buffer.from(receiptHandle, 'base64url').toString())?.[1];
