import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2, SQSEvent } from 'aws-lambda';
import { wireStatus } from '../../test/support/builders.ts';
import { contactAddress, pushedEvent, pushOf } from '../load/pushed-event.ts';
import { acceptedId } from './chat-answers.ts';

/*
 * Events like those that a running stack recorded, with ids of their own. The headers stay, and so does the token: Pub/Sub
 * sends the same one for up to an hour.
 */

const withBody = (recorded: APIGatewayProxyEventV2, body: string): APIGatewayProxyEventV2 => ({
  ...recorded,
  headers: { ...recorded.headers, 'content-length': String(Buffer.byteLength(body)) },
  body,
});

/** A user's first message, which opens the window. */
export const inboundMessage = (recorded: APIGatewayProxyEventV2, user: number): APIGatewayProxyEventV2 =>
  withBody(recorded, pushedEvent(randomUUID(), contactAddress(user), new Date().toISOString()));

/** A post in the format `v1.1` with new messages of a user. */
export const postOfMessages = (
  recorded: APIGatewayProxyEventV2,
  user: number,
  messages: number,
): APIGatewayProxyEventV2 => {
  const at = new Date().toISOString();
  const post = {
    v: '1.1',
    type: 'message',
    chatPlatform: 'chat',
    contactId: `+${contactAddress(user)}`,
    chatChannelId: 'acme-chat-5491100000000',
    customerId: `customer-${user}`,
    sessionCreationTime: at,
    messages: Array.from({ length: messages }, () => ({
      _id: randomUUID(),
      date: at,
      message: 'Where is my parcel?',
      fromName: 'Ana',
      from: 'user',
    })),
  };
  return withBody(recorded, pushOf(post, randomUUID(), at));
};

/** A status of the first message that was sent to a user. */
export const statusOfSend = (
  recorded: APIGatewayProxyEventV2,
  user: number,
  status: 'delivered' | 'read',
): APIGatewayProxyEventV2 => {
  const contact = contactAddress(user);
  const at = new Date().toISOString();
  const event = wireStatus({ _id_: acceptedId(contact), FROM: contact, CREATION_TIME: at, STATUS: status });
  return withBody(recorded, pushOf(event, randomUUID(), at));
};

/** A free-form request to send a message to a contact. */
export const freeFormRequest = ({ Records: [recorded] }: SQSEvent, platformContactId: string): SQSEvent => {
  if (recorded === undefined) throw new Error('The recorded event has no queue message.');
  const requestId = randomUUID();
  const now = String(Date.now());
  const attributes = {
    ...recorded.attributes,
    SentTimestamp: now,
    ApproximateFirstReceiveTimestamp: now,
    MessageGroupId: platformContactId,
    MessageDeduplicationId: requestId,
  };
  const body = JSON.stringify({ requestId, platformContactId, messageText: 'Your parcel is on its way.' });
  return { Records: [{ ...recorded, messageId: randomUUID(), attributes, body }] };
};
