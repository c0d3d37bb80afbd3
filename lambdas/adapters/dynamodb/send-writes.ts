import type { SendResult } from '../../domain/send.ts';
import { SEND_TRANSITIONS, type SendTransitionName } from '../../domain/send-transitions.ts';
import type { TransitionResult } from '../../ports.ts';
import { sendKey } from '../../table/keys.ts';
import { listAttributes, parseSend } from '../../table/send-item.ts';
import { conditionOf, type Evidence, type TransitionUpdate } from './send-conditions.ts';
import type { ConversationTable, WriteOutcome } from './table.ts';

/**
 * Creates the functions that change the states of sends, each with one conditional write: `apply` returns the outcome of
 * the write, and `transition` that of the transition. Nothing else changes the state of a send.
 */
export const createTransitions = (table: Pick<ConversationTable, 'update'>) => {
  const apply = (
    name: SendTransitionName,
    requestId: string,
    update: TransitionUpdate,
    evidence: Evidence = {},
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
  const transition = async (...parameters: Parameters<typeof apply>): Promise<TransitionResult> =>
    describeOutcome(await apply(...parameters));
  return { apply, transition };
};

/** Returns the result of a transition, given the outcome of its write. */
export const describeOutcome = ({ kind, item }: WriteOutcome): TransitionResult => {
  if (kind === 'written') return { kind: 'applied' };
  return item === undefined || item.state === undefined
    ? { kind: 'missing' }
    : { kind: 'conflict', send: parseSend(item) };
};

/** The transition that records a result. */
export const TRANSITION_TO = {
  accepted: 'accept',
  refused: 'refuse',
  rejected: 'reject',
  expired: 'expire',
  uncertain: 'loseTrack',
  waiting: 'wait',
} as const satisfies Record<SendResult['state'], SendTransitionName>;
