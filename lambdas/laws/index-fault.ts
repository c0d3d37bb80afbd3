import { SEND_STATES, type SendState } from '../domain/send-transitions.ts';
import { has, kindOf, type StoredItem, textOf } from './stored-item.ts';

/** Returns what is wrong with an item's index keys, which are derived from its other attributes. */
export const indexFaultIn = (item: StoredItem): string | undefined => {
  if (has(item, 'contact') !== has(item, 'contactSort')) return 'Only one of contact and contactSort is set.';
  const sort = has(item, 'contactSort') ? contactSortOf(item) : undefined;
  if (sort !== undefined && !matches(item.contactSort, sort)) return 'contactSort does not match the item.';
  if (has(item, 'stateShard') !== has(item, 'stateAt')) return 'Only one of stateShard and stateAt is set.';
  const index = stateIndexOf(item);
  const isInIndex = has(item, 'stateShard');
  if (isInIndex && index === undefined) return 'It is listed under a state that has no list.';
  const isRight = index && matches(item.stateShard, index.shard) && item.stateAt === index.at;
  if (isInIndex && !isRight) return 'stateShard or stateAt is wrong.';
  if (!isInIndex && index?.isRequired) return 'It is missing from the list of its state.';
  return kindOf(item) === 'send' ? broadcastFaultIn(item) : undefined;
};

/** The partition and the sort key of an item in the index `byState`. */
interface StateIndex {
  readonly shard: RegExp;
  readonly at: unknown;
  /** Whether the item must be in the index. */
  readonly isRequired: boolean;
}

/** Returns undefined if the item must not be in the index `byState`. */
const stateIndexOf = (item: StoredItem): StateIndex | undefined => {
  const kind = kindOf(item);
  if (kind === 'audit') return { shard: /^audit#\d+$/, at: item.at, isRequired: true };
  if (kind === 'dead-letter') return { shard: /^dead-letter#\w+$/, at: item.since, isRequired: true };
  if (kind === 'channel') return { shard: /^channel$/, at: item.firstSeenAt, isRequired: has(item, 'firstSeenAt') };
  // Only statuses of it have arrived. Whether that is listed depends on the stage.
  if (kind === 'message' && !has(item, 'direction') && !has(item, 'erasedAt')) {
    return { shard: /^(gap|missing)#\d+$/, at: item.stateAt, isRequired: false };
  }
  const state = kind === 'send' ? stateOf(item) : undefined;
  if (state === undefined || UNLISTED.includes(state)) return undefined;
  const code = textOf(item, 'code');
  // An erasure removes a send from the list of its state.
  return {
    shard: new RegExp(`^${state}#\\d+$`),
    at: [timeIn(item, state), ...(code === undefined ? [] : [code])].join('#'),
    isRequired: !has(item, 'erasedAt'),
  };
};

const stateOf = (item: StoredItem): SendState | undefined => SEND_STATES.find((state) => state === item.state);

/** The states of most sends, which would multiply the writes of the index. */
const UNLISTED: readonly SendState[] = ['queued', 'claimed', 'accepted', 'cancelled'];

/** Returns the time by which a state's sends are sorted. Scheduled sends are sorted by when they are due. */
const timeIn = (item: StoredItem, state: SendState): unknown => item[state === 'scheduled' ? 'sendAt' : `${state}At`];

const broadcastFaultIn = (item: StoredItem): string | undefined => {
  const state = stateOf(item);
  if (state === undefined) return undefined;
  const { broadcastId } = item;
  const shards = typeof broadcastId === 'string' ? broadcastId : undefined;
  if (has(item, 'broadcastShard') !== (shards !== undefined))
    return 'Only one of broadcastId and broadcastShard is set.';
  if (shards !== undefined && String(item.broadcastShard).replace(/#\d+$/, '') !== shards) {
    return 'broadcastShard does not match broadcastId.';
  }
  // A claimed send is not in the list of its broadcast.
  const expected = state === 'claimed' ? undefined : `${state}#${textOf(item, 'code') ?? ''}#${timeIn(item, state)}`;
  return item.broadcastState === expected ? undefined : 'broadcastState does not match the item.';
};

/** The sort key of the item in the index `byContact`, if it is stored under a contact. */
const contactSortOf = (item: StoredItem): RegExp | string | undefined => {
  switch (kindOf(item)) {
    case 'send':
      return `SEND#${item.createdAt}`;
    case 'message':
    case 'echo':
      return has(item, 'createdAt') ? `MESSAGE#${item.createdAt}` : 'STATUS#';
    case 'version':
      return `VERSION#${item.createdAt}`;
    case 'audit':
      return `AUDIT#${item.at}`;
    case 'dead-letter-contact':
      return /^DEADLETTER#/;
    default:
      return undefined;
  }
};

const matches = (value: unknown, expected: RegExp | string): boolean =>
  typeof expected === 'string' ? value === expected : expected.test(String(value));
