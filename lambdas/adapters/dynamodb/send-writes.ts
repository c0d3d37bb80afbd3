import { SEND_TRANSITIONS, type SendTransitionName } from '../../domain/send-transitions.ts';
import { sendKey } from '../../table/keys.ts';
import { listAttributes } from '../../table/send-item.ts';
import { conditionOf, type Evidence, type TransitionUpdate } from './send-conditions.ts';
import type { ConversationTable, WriteOutcome } from './table.ts';

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
