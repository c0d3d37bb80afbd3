import { wireMessage } from '../../test/support/builders.ts';

/** A message of a user, as Pub/Sub pushes it. */
export const pushedEvent = (id: string, contact: string, at: string): string =>
  pushOf(wireMessage({ _id_: id, FROM: contact, CREATION_TIME: at, SESSION_CREATION_TIME: at }), id, at);

/** Wraps an event as Pub/Sub pushes it. Source: https://cloud.google.com/pubsub/docs/push#receive_push */
export const pushOf = (event: unknown, id: string, at: string): string => {
  const data = Buffer.from(JSON.stringify(event)).toString('base64');
  const message = { attributes: {}, data, messageId: id, message_id: id, publishTime: at, publish_time: at };
  return JSON.stringify({ message, subscription: 'projects/bench/subscriptions/chat-events' });
};

/** Returns a contact's address, such as `5491150000012`. */
export const contactAddress = (index: number): string => `54911${50_000_000 + index}`;
