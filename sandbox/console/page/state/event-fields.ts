import { stringField } from './api.ts';

/** What an event is about, in any event format. */
export interface EventFields {
  /** The messages that it has, or the one whose status it reports. */
  readonly messageIds: readonly string[];
  /** As written; undefined for messages. */
  readonly status: string | undefined;
  /** The user's address; `me` in the uppercase echo of a message from the business. */
  readonly contact: string | undefined;
}

/** Reads an event. Several messages are an array of events, or the array `messages` of one. */
export const readEvent = (event: unknown): EventFields => {
  const [first] = entriesOf(event);
  return {
    messageIds: entriesOf(event).flatMap(
      (one) => idOf(one) ?? entriesOf(messagesOf(one)).flatMap((m) => idOf(m) ?? []),
    ),
    status: stringField(first, 'STATUS') ?? stringField(first, 'status'),
    contact: stringField(first, 'FROM') ?? stringField(first, 'contactId'),
  };
};

const entriesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const messagesOf = (event: unknown): unknown =>
  typeof event === 'object' && event !== null ? Reflect.get(event, 'messages') : undefined;

const idOf = (event: unknown): string | undefined =>
  stringField(event, '_id_') ?? stringField(event, '_id') ?? stringField(event, 'messageId');
