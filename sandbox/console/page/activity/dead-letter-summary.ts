import { type DeadLetter, field, type InspectedQueue, stringField } from '../state/api.ts';
import { readEvent } from '../state/event-fields.ts';
import { kindOf } from './describe-event.ts';

/** What a dead letter is about, if it has no request ID. */
export const summaryOf = (queue: InspectedQueue, { body }: DeadLetter): string => {
  if (queue !== 'inbound') return 'Request without an ID';
  // Parley stores the event in the field rawBody; a message that SQS moved itself has another body.
  const event = field(parsed(body), 'rawBody');
  const sender = readEvent(event).contact;
  return sender === undefined ? 'Event without a sender' : `Event from ${sender}: ${kindOf(event)}`;
};

/** The user's address in a request, if it can be read. */
export const contactOf = ({ body }: DeadLetter): string => stringField(parsed(body), 'platformContactId') ?? '';

/** Returns what to do about a dead letter that will fail again after a redrive. */
export const adviceOn = ({ reason = '' }: DeadLetter): string | undefined =>
  ADVICE.find(({ startsWith }) => reason.startsWith(startsWith))?.advice;

const ADVICE: readonly { startsWith: string; advice: string }[] = [
  {
    startsWith: 'MALFORMED',
    advice: 'The request is invalid, so redriving it will fail again. Its producer must fix it and queue it again.',
  },
  {
    startsWith: 'REQUEST_ID_REUSED',
    advice: 'Another request already used this ID, so redriving it will fail again. Its producer must use a new ID.',
  },
];

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};
