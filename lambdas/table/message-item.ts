import { DIRECTIONS, type StoredMessage, statusTimes } from '../domain/message.ts';
import { STATUS_TIMES } from '../domain/message-status.ts';
import * as z from '../domain/schema.ts';
import { type Item, optionalString, parseItem } from './item.ts';

const messageItem = z.object({
  direction: z.optional(z.enum(DIRECTIONS)),
  createdAt: optionalString,
  body: optionalString,
  modifiedAt: optionalString,
  versions: z.optional(z.set(z.string())),
  requestId: optionalString,
  traceparent: optionalString,
  call: z.optional(z.object({ endpoint: z.string(), body: z.record(z.string(), z.unknown()) })),
  ...statusTimes,
  failure: optionalString,
  statusBodies: z.optional(z.set(z.string())),
});

/** @throws DamagedItemError if the item does not have the form of a message. */
export const parseMessage = (item: unknown): StoredMessage => parseItem(messageItem, item);

/** Returns where the time of a message comes from. */
export const parseTimeSource = ({ createdAtSource }: Item): string | undefined =>
  typeof createdAtSource === 'string' ? createdAtSource : undefined;

/**
 * Removes a message from the lists of gaps, which costs nothing if it is in none. `firstStatusAt` and `statusChannel` are
 * the time and the channel of its first status.
 */
export const NO_GAP = { stateShard: undefined, stateAt: undefined, firstStatusAt: undefined, statusChannel: undefined };

/**
 * Removes what a message's item says of the contact and the message, and takes it out of every index. The mark of the
 * erasure, the expiry, and `isImported` stay.
 */
export const EMPTIED_MESSAGE = Object.fromEntries(
  [
    ...['direction', 'contact', 'contactSort', 'createdAt', 'createdAtSource', 'body', 'modifiedAt', 'versions'],
    ...['isFromStatus', 'traceparent'],
    ...[
      'requestId',
      'customerId',
      'call',
      'attempt',
      ...STATUS_TIMES,
      'failure',
      'failedBody',
      'statusBodies',
      'otherStatuses',
    ],
    ...['stateShard', 'stateAt', 'firstStatusAt', 'statusChannel', 'missingSince', 'gapClosedAt'],
  ].map((name) => [name, undefined]),
);
