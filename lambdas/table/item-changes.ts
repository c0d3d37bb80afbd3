import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type {
  AccountImage,
  ChannelImage,
  ItemChange,
  MessageImage,
  SendImage,
  TurnImage,
} from '../domain/events/item-change.ts';
import type { HandoverTimes } from '../domain/handovers/handover.ts';
import { type Instant, parseInstant, toInstant } from '../domain/instant.ts';
import { STATUS_TIMES } from '../domain/message-status.ts';
import { isEarlierCallConfirmed } from '../domain/send-call.ts';
import { NO_LINE } from '../domain/watch/channel-rhythm.ts';
import { readConsents } from './consent-item.ts';
import type { Item } from './item.ts';
import { type ItemKey, idOf, parseContactName } from './keys.ts';
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
  if (isDeletion && publishedKind(pk, sk) !== 'turn') return undefined;
  return changeOf({
    key: { pk, sk },
    before: OldImage && readImage(OldImage),
    after: isDeletion ? undefined : item,
    writtenAt: toInstant(new Date(ApproximateCreationDateTime * 1000)),
  });
};

// Wraps numbers, because `unmarshall` otherwise throws if a number is too large for JavaScript.
const readImage = (image: Image): Item => unmarshall(image, { wrapNumbers: true });

/** A write as two images of an item, each undefined if there was none. */
export interface ItemWrite {
  readonly key: ItemKey;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  readonly writtenAt: Instant;
}

/** Returns what a write changed. Returns undefined for items whose changes are not published. */
export const changeOf = ({ key: { pk, sk }, before, after, writtenAt }: ItemWrite): ItemChange | undefined => {
  const kind = publishedKind(pk, sk);
  const contact = parseContactName((after ?? before)?.contact ?? pk);
  const common = { id: idOf(pk), key: JSON.stringify([pk, sk]), writtenAt, contact };
  const both = <Image>(imageOf: (item: Item) => Image) => ({
    before: imageOf(before ?? {}),
    after: imageOf(after ?? {}),
  });
  switch (kind) {
    case 'message':
    case 'echo':
      return { ...common, kind, ...both(messageImage) };
    case 'send':
      return { ...common, kind, ...both(sendImage) };
    case 'consent':
      return { ...common, kind, ...both(readConsents) };
    case 'handover':
      return { ...common, kind, ...both(handoverImage) };
    case 'turn':
      return { ...common, kind, before: before && turnImage(before), after: after && turnImage(after) };
    case 'account':
      return { ...common, kind, ...both(accountImage) };
    case 'channel':
      return { ...common, kind, ...both(channelImage) };
    case undefined:
      return undefined;
  }
};

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const members = (value: unknown): readonly string[] =>
  value instanceof Set ? [...value].filter((member) => typeof member === 'string') : [];

/** Reads a number, which `readImage` returns as an object whose string is the number. */
const count = (value: unknown): number | undefined => {
  const read = Number(String(value));
  return Number.isSafeInteger(read) ? read : undefined;
};

/** Reads attributes. One whose form is not what Parley writes is undefined. */
const read = <Name extends string>(
  item: Item,
  parse: (value: unknown) => string | undefined,
  ...names: readonly Name[]
): { readonly [Of in Name]?: string | undefined } => {
  const values: { [Of in Name]?: string | undefined } = {};
  for (const name of names) values[name] = parse(item[name]);
  return values;
};

const messageImage = (item: Item): MessageImage => ({
  ...read(item, text, 'direction', 'body', 'traceparent', 'requestId', 'failure', 'failedBody'),
  ...read(item, parseInstant, 'createdAt', 'modifiedAt', 'missingSince', ...STATUS_TIMES),
  versions: members(item.versions),
  isImported: item.isImported === true,
  otherStatuses: members(item.otherStatuses),
});

const sendImage = (item: Item): SendImage => {
  const { call, unknownCall } = item;
  const state = text(item.state);
  return {
    state,
    ...read(item, text, 'traceparent', 'body', 'code', 'decision', 'outcome', 'outcomeDetails'),
    ...read(item, text, 'messageId', 'failure'),
    since: parseInstant(item[`${state}At`]),
    call: callImage(unknownCall !== undefined && isEarlierCallConfirmed(item) ? unknownCall : call),
  };
};

const callImage = (call: unknown): SendImage['call'] => {
  if (typeof call !== 'object' || call === null) return undefined;
  const endpoint = 'endpoint' in call ? call.endpoint : undefined;
  const body = 'body' in call && typeof call.body === 'object' && call.body !== null ? { ...call.body } : undefined;
  return { endpoint: endpoint === 'message/v3' || endpoint === 'intent/v2' ? endpoint : undefined, body };
};

const handoverImage = (item: Item): HandoverTimes =>
  read(item, parseInstant, 'handoverAt', 'handbackAt', 'operatorWroteAt', 'operatorUntil');

/** Reads the item of a turn. */
export const turnImage = (item: Item): TurnImage => ({
  ...read(item, text, 'firstMessageId'),
  ...read(item, parseInstant, 'startedAt'),
  messageIds: members(item.messageIds),
  messageCount: count(item.messageCount),
});

const accountImage = (item: Item): AccountImage => ({
  ...read(item, text, 'reason', 'why', 'stopNote'),
  ...read(item, parseInstant, 'openedAt', 'closedAt', 'stoppedAt', 'resumedAt'),
  platform: text(item.platform) ?? '',
  channel: text(item.channel) ?? '',
  isOpen: item.circuit === 'open',
});

const channelImage = (item: Item): ChannelImage => ({
  ...read(item, parseInstant, 'silentSince', 'spokeAt'),
  platform: text(item.platform) ?? '',
  line: text(item.line) ?? NO_LINE,
});
