import { createHash } from 'node:crypto';

/**
 * A contact's message group: the contact itself, where SQS takes that.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
export const messageGroup = (platformContactId: string): string =>
  /^[\x21-\x7e]{1,128}$/.test(platformContactId)
    ? platformContactId
    : createHash('sha256').update(platformContactId).digest('hex');
