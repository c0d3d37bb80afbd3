import { createHash } from 'node:crypto';

/**
 * Returns the message group ID of a contact's requests. With one group per contact, a contact's messages stay in order,
 * and a request that waits delays no other contact.
 *
 * SQS accepts 1 to 128 letters, digits, and punctuation characters. For any other contact ID, the group is its hash, as
 * in the management API, so that all requests to a contact are in the same group.
 */
export const messageGroupId = (platformContactId: string): string =>
  /^[\x21-\x7e]{1,128}$/.test(platformContactId)
    ? platformContactId
    : createHash('sha256').update(platformContactId).digest('hex');
