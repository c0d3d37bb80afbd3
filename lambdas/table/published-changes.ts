import type { MessageImage, SendImage } from '../domain/events/item-change.ts';
import { PUBLISHED_STATES } from '../domain/events/item-events.ts';
import { STATUS_TIMES } from '../domain/message-status.ts';
import { PUBLISHED_ITEMS } from './published-items.ts';

/** The pattern of an event source mapping's filter. */
export type FilterPattern = Readonly<Record<string, unknown>>;

const PRESENT = [{ exists: true }];

/** A pattern for items as they are after a write. A deleted item has no new image, so it matches none. */
const itemLike = (attributes: FilterPattern): FilterPattern => ({ dynamodb: { NewImage: attributes } });

/** A pattern for an attribute, by the name under which `publish` reads it. */
const attribute = <Image>(name: keyof Image & string, values: FilterPattern): FilterPattern => ({ [name]: values });

const { message, echo, send, consent, handover, turn, account, channel } = PUBLISHED_ITEMS;

/**
 * Filters for the changes that can publish an event; one of them must match. Without them, most changes would cause an
 * invocation for nothing: a contact's window moves with each message, a send is claimed before each call, and a message
 * that Parley sent is stored beside its send.
 *
 * They use only `dynamodb`, exact strings, and `exists`, which Lambda supports for strings of a stream's records, and are
 * fewer than the default quota of five.
 *
 * Sources: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html and
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
export const PUBLISHED_CHANGES: readonly FilterPattern[] = [
  itemLike({ sk: { S: [echo.sk, consent.sk, handover.sk, account.sk, channel.sk] } }),
  itemLike({ sk: { S: [send.sk] }, ...attribute<SendImage>('state', { S: PUBLISHED_STATES }) }),
  itemLike({
    sk: { S: [message.sk] },
    $or: [
      attribute<MessageImage>('direction', { S: ['inbound', 'unknown'] }),
      ...STATUS_TIMES.map((name) => attribute<MessageImage>(name, { S: PRESENT })),
      attribute<MessageImage>('otherStatuses', { SS: PRESENT }),
      attribute<MessageImage>('missingSince', { S: PRESENT }),
    ],
  }),
  // Each message of a turn, and its end, which deletes the item. Also in a stage without turns, where no item matches: a
  // filter that changed together with the setting could miss the first turns.
  { dynamodb: { Keys: { sk: { S: [turn.sk] } } } },
];
