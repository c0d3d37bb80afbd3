/**
 * Returns a contact's SQS message group: the contact's ID if SQS accepts it as a group, and otherwise its hash, as in
 * the management API.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
export const messageGroup = async (contact: string): Promise<string> => {
  if (/^[\x21-\x7e]{1,128}$/.test(contact)) return contact;
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(contact));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
};
