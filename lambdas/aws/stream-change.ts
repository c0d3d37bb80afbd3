import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { toInstant } from '../domain/instant.ts';
import type { ItemChange, ItemImage, ItemKind } from '../domain/telling/item-change.ts';
import { readContactName } from './table-keys.ts';

type Image = Record<string, AttributeValue>;

/**
 * A record of the table's stream as Lambda hands it over.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html, "Example event"
 */
export interface StreamRecord {
  readonly eventName?: string;
  readonly dynamodb?: {
    readonly SequenceNumber?: string;
    /** Seconds since the epoch. */
    readonly ApproximateCreationDateTime?: number;
    readonly Keys?: Image;
    readonly OldImage?: Image;
    readonly NewImage?: Image;
  };
}

const KINDS: Readonly<Record<string, ItemKind>> = {
  'MESSAGE#MESSAGE': 'message',
  'MESSAGE#ECHO': 'echo',
  'SEND#SEND': 'send',
  'CONTACT#CONTACT': 'contact',
};

/**
 * Reads a stream record as a change of one of our items; undefined for a removal, and for an item that is none of those
 * that are told of.
 */
export const readStreamChange = ({ eventName, dynamodb = {} }: StreamRecord): ItemChange | undefined => {
  const { NewImage, OldImage, ApproximateCreationDateTime = 0 } = dynamodb;
  if (eventName === 'REMOVE' || NewImage === undefined) return undefined;
  const after = read(NewImage);
  const { pk, sk } = after;
  if (typeof pk !== 'string' || typeof sk !== 'string') return undefined;
  const [prefix = ''] = pk.split('#', 1);
  const kind = prefix === 'ACCOUNT' ? 'account' : KINDS[`${prefix}#${sk}`];
  if (kind === undefined) return undefined;
  return {
    kind,
    id: pk.slice(prefix.length + 1),
    key: JSON.stringify([pk, sk]),
    writtenAt: toInstant(new Date(ApproximateCreationDateTime * 1000)),
    contact: readContactName(kind === 'contact' ? pk : after.contact),
    before: OldImage === undefined ? {} : read(OldImage),
    after,
  };
};

// Numbers stay as they are written: one too large for JavaScript must not make an item unreadable.
const read = (image: Image): ItemImage => unmarshall(image, { wrapNumbers: true });
