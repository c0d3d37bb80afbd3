import { isInBroadcast, isListed } from '../../domain/send-index.ts';
import { SEND_TRANSITIONS, type SendState, type SendTransitionName } from '../../domain/send-transitions.ts';
import { broadcastSort, stateShard, stateSort, timeOfState } from '../../table/indexes.ts';
import { sendKey } from '../../table/keys.ts';
import { conditionOf, type Evidence, type TransitionUpdate } from './send-conditions.ts';
import type { ConversationTable, Item, WriteOutcome } from './table.ts';

/** A transition of a send, and what it writes besides the state. */
export interface TransitionWrite {
  readonly name: SendTransitionName;
  readonly requestId: string;
  readonly update: TransitionUpdate;
  /** @default none */
  readonly evidence?: Evidence | undefined;
}

/** Makes a transition of a send as one conditional write. Nothing else changes the state of a send. */
export const writeTransition = (
  table: Pick<ConversationTable, 'update'>,
  { name, requestId, update, evidence = {} }: TransitionWrite,
  options?: { readonly returnItem: boolean },
): Promise<WriteOutcome> => {
  const { to } = SEND_TRANSITIONS[name];
  const { set = {}, setOnce, increment } = update;
  const lists = listAttributes(requestId, to, set);
  // An erasure decides nothing about the request, so it leaves how long processing has failed.
  const failures = set.erasedAt === undefined ? { failingSince: undefined, lastFailedAt: undefined } : {};
  const written = { state: to, ...failures, ...lists };
  // The details of an outcome are removed with it.
  const details = 'outcome' in set ? { outcomeDetails: undefined } : {};
  // An erasure must find every message that a function may still be writing.
  const messageIds = typeof set.messageId === 'string' ? { add: { messageIds: new Set([set.messageId]) } } : {};
  const change = { set: { ...details, ...set, ...written }, setOnce, increment, ...messageIds };
  return table.update({ key: sendKey(requestId), ...change, ...conditionOf(name, change, evidence) }, options);
};

/**
 * Returns the attributes that put a send into the lists of its new state and of its broadcast, or take it out of them.
 * Every transition writes all of them, so that no write of another version leaves a send in a list that it has left.
 * The sort key in the broadcast is written without knowing whether there is one: without `broadcastShard`, the send is
 * not in the index.
 */
const listAttributes = (requestId: string, to: SendState, set: Item): Item => {
  const at = set[timeOfState(to)];
  // The send stays in its state.
  if (typeof at !== 'string') return {};
  const entry = { at, ...(typeof set.code === 'string' && { code: set.code }) };
  return {
    // An erased send is in no list of a state.
    ...(isListed(to) && set.erasedAt === undefined
      ? { stateShard: stateShard(to, requestId), stateAt: stateSort(entry) }
      : UNLISTED),
    broadcastState: isInBroadcast(to) ? broadcastSort(to, entry) : undefined,
  };
};

/** What a transition or an erasure writes to take a send out of the list of its state. */
const UNLISTED = { stateShard: undefined, stateAt: undefined } as const;
