import { createHash } from 'node:crypto';
import type { KeptQueue } from '../domain/dead-letter.ts';
import type { Instant } from '../domain/instant.ts';
import { SEND_STATES, type SendState } from '../domain/send-transitions.ts';

/**
 * The index `byContact` (partition `contact`, sort `contactSort`, keys only) holds a contact's messages, their earlier
 * versions, and its sends, each kind ordered by time, the statuses of its unknown messages, its dead letters, and its
 * audit entries. It projects only keys, so that a status or a transition causes no write to the index.
 */
export const BY_CONTACT = 'byContact';
export type ContactSortKind = 'MESSAGE' | 'VERSION' | 'SEND' | 'DEADLETTER' | 'AUDIT';
export const contactSort = (kind: ContactSortKind, createdAt: string): string => `${kind}#${createdAt}`;

/** Returns the query of what a contact, by its name, has between two sort keys. */
export const contactQuery = (contact: string, from: string, until: string) => ({
  IndexName: BY_CONTACT,
  KeyConditionExpression: '#contact = :contact AND #contactSort BETWEEN :from AND :until',
  ExpressionAttributeNames: { '#contact': 'contact', '#contactSort': 'contactSort' },
  values: { contact, from, until },
});

/** The sort key of an item that has only statuses. It has no time, so that it does not depend on their order. */
export const STATUS_SORT = 'STATUS#';

/** An index whose partitions are shards of a list. */
export interface ShardedIndex {
  readonly name: 'byState' | 'byBroadcast';
  /** The attributes with the partition and with the sort key. */
  readonly partition: 'stateShard' | 'broadcastShard';
  readonly sort: 'stateAt' | 'broadcastState';
}

/**
 * The sparse index `byState` (keys only) holds the sends that operators look for, the kept dead letters, the audit
 * trail, the channels, and the gaps. It is sharded because an outage can put every send into one state, and a single
 * hot partition would throttle writes to the table.
 */
export const BY_STATE = { name: 'byState', partition: 'stateShard', sort: 'stateAt' } as const satisfies ShardedIndex;

/** Returns the query of a list in this index that has only one partition. */
export const stateQuery = (shard: string) => ({
  IndexName: BY_STATE.name,
  KeyConditionExpression: '#stateShard = :stateShard',
  ExpressionAttributeNames: { '#stateShard': BY_STATE.partition },
  values: { stateShard: shard },
});

/** The sparse index `byBroadcast` (keys only) holds the sends of each broadcast. Sharded because all are sent at once. */
export const BY_BROADCAST = {
  name: 'byBroadcast',
  partition: 'broadcastShard',
  sort: 'broadcastState',
} as const satisfies ShardedIndex;

/** The table's indexes. Each projects only keys. */
export const INDEXES = [
  { name: BY_CONTACT, partition: 'contact', sort: 'contactSort' },
  BY_STATE,
  BY_BROADCAST,
] as const;

/** The attribute by which items expire, in seconds since the epoch. */
export const EXPIRY = 'expiresAt';

const SHARDS = 16;
export type ListedState = SendState | 'audit' | 'gap' | 'missing';

/** Returns the partition of a send in a state, of an audit entry, or of a gap, such as `uncertain#7`. */
export const stateShard = (state: ListedState, id: string): string => shardOf(state, id);

/** Returns the partitions of a state, of the audit trail, or of gaps. */
export const stateShards = (state: ListedState): readonly string[] => shardsOf(state);

/** Returns the partition of a send in its broadcast. The id of the broadcast may contain the separator. */
export const broadcastShard = (broadcastId: string, requestId: string): string => shardOf(broadcastId, requestId);

export const broadcastShards = (broadcastId: string): readonly string[] => shardsOf(broadcastId);

const shardOf = (list: string, id: string): string =>
  `${list}#${(createHash('sha256').update(id).digest()[0] ?? 0) % SHARDS}`;

const shardsOf = (list: string): readonly string[] => Array.from({ length: SHARDS }, (_, shard) => `${list}#${shard}`);

/**
 * Returns the partition of a queue's dead letters in the index `byState`. It is not sharded: only one function writes
 * it, message by message.
 */
export const deadLetterShard = (queue: KeptQueue): string => `dead-letter#${queue}`;

/** The partition of the channels in the index `byState`. A business has few. */
export const CHANNEL_LIST = 'channel';

/** Returns the attribute with the time by which a state's sends are listed. Scheduled sends are listed by when they are due. */
export const timeOfState = (state: SendState): `${SendState | 'send'}At` =>
  state === 'scheduled' ? 'sendAt' : `${state}At`;

/** Where a send is in a list: its time, and the code of its refusal, rejection, or failure. */
export interface SendEntry {
  readonly at: Instant;
  readonly code?: string;
}

/** Returns the sort key of a send in the list of its state: `<time>` or `<time>#<code>`, so that keys suffice to count. */
export const stateSort = ({ at, code }: SendEntry): string => (code === undefined ? at : `${at}#${code}`);

export const parseStateSort = (sort: string): SendEntry => {
  const [at = '', code] = sort.split('#');
  return { at, ...(code !== undefined && { code }) };
};

/** Returns the sort key of a send in its broadcast: `<state>#<code>#<time>`, where the code can be empty. */
export const broadcastSort = (state: SendState, { at, code = '' }: SendEntry): string => `${state}#${code}#${at}`;

/** Returns undefined for what {@link broadcastSort} did not write. */
export const parseBroadcastSort = (sort: string): (SendEntry & { readonly state: SendState }) | undefined => {
  const [name, code = '', at = ''] = sort.split('#');
  const state = SEND_STATES.find((known) => known === name);
  return state && { state, at, ...(code !== '' && { code }) };
};
