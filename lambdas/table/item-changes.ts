import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { ItemChange, ItemImage } from '../domain/events/item-change.ts';
import { toInstant } from '../domain/instant.ts';
import { idOf, parseContactName } from './keys.ts';
import { publishedKind } from './published-items.ts';

type Image = Record<string, AttributeValue>;

/**
 * A record of the table's stream as Lambda receives it.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html, "Example event"
 */
export interface StreamRecord {
  readonly eventName?: string;
  /** Present only if DynamoDB deleted an expired item. */
  readonly userIdentity?: unknown;
  readonly dynamodb?: {
    readonly SequenceNumber?: string;
    /** Seconds since the epoch. */
    readonly ApproximateCreationDateTime?: number;
    readonly Keys?: Image;
    readonly OldImage?: Image;
    readonly NewImage?: Image;
  };
}

/**
 * Reads a stream record. Returns undefined for items whose changes are not published, for expiries, and for deletions
 * except those of turns, whose deletion ends them.
 */
export const readItemChange = ({ eventName, userIdentity, dynamodb = {} }: StreamRecord): ItemChange | undefined => {
  const { NewImage, OldImage, ApproximateCreationDateTime = 0 } = dynamodb;
  const isDeletion = eventName === 'REMOVE';
  const image = isDeletion ? OldImage : NewImage;
  if (image === undefined || userIdentity) return undefined;
  const item = readImage(image);
  const { pk, sk } = item;
  if (typeof pk !== 'string' || typeof sk !== 'string') return undefined;
  const kind = publishedKind(pk, sk);
  if (kind === undefined || (isDeletion && kind !== 'turn')) return undefined;
  return {
    kind,
    id: idOf(pk),
    key: JSON.stringify([pk, sk]),
    writtenAt: toInstant(new Date(ApproximateCreationDateTime * 1000)),
    contact: parseContactName(item.contact ?? pk),
    before: OldImage === undefined ? {} : readImage(OldImage),
    after: isDeletion ? {} : item,
  };
};

// Wraps numbers, because `unmarshall` otherwise throws if a number is too large for JavaScript.
const readImage = (image: Image): ItemImage => unmarshall(image, { wrapNumbers: true });
