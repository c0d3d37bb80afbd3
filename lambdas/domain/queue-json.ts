/**
 * Characters that JSON does not escape but SQS rejects.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const REJECTED_BY_SQS = /[\ufffe\uffff]/g;

/** Whether SQS would reject a text because of a character in it, if it is JSON. */
export const isRejectedBySqs = (json: string): boolean => json.search(REJECTED_BY_SQS) >= 0;

/** Serializes a value as JSON that SQS accepts, whatever characters it contains. */
export const queueJson = (value: unknown): string =>
  JSON.stringify(value).replace(REJECTED_BY_SQS, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
