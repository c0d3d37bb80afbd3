import {
  type FromState,
  SEND_TRANSITIONS,
  type SendTransition,
  type SendTransitionName,
} from '../../../lambdas/domain/send-transitions.ts';
import type { Item } from '../../../lambdas/table/item.ts';

export interface ObservedTransition {
  readonly name: SendTransitionName;
  readonly from: FromState;
}

/**
 * The actors whose transitions each function makes. If two transitions fit, the first one applies. A function that
 * records the message of a send also records what statuses have said about the message.
 */
const ACTORS = {
  receive: ['receive'],
  drain: ['receive'],
  send: ['send', 'receive'],
  publish: [],
  'end-turn': [],
  manage: ['operator', 'manage', 'receive'],
  erase: ['manage'],
  keep: [],
} as const satisfies Readonly<Record<string, readonly SendTransition['by'][]>>;

export type Writer = keyof typeof ACTORS;

const NAMES = Object.keys(SEND_TRANSITIONS) as SendTransitionName[];

/** What a transition that keeps the state must change. Other writes do not change it. */
const EVIDENCE: Partial<Record<SendTransitionName, string>> = {
  wait: 'waitingAt',
  replaceCall: 'call',
  refuse: 'refusedAt',
  accept: 'confirmedBy',
  confirm: 'acceptedAt',
  identify: 'identifiedAt',
  fail: 'failedAt',
  acceptFailed: 'confirmedBy',
  confirmFailed: 'acceptedAt',
  identifyFailed: 'identifiedAt',
};

/** Returns the transition that a write of a send made. Returns undefined for a write that makes none. */
export const observeTransition = (
  writer: Writer | undefined,
  before: Item | undefined,
  after: Item | undefined,
): ObservedTransition | undefined => {
  if (after?.state === undefined || writer === undefined) return undefined;
  const from = before?.state === undefined ? 'none' : String(before.state);
  const possible = NAMES.filter((name) => {
    const transition: SendTransition = SEND_TRANSITIONS[name];
    if (transition.to !== after.state || !Object.hasOwn(transition.from, from)) return false;
    return from !== after.state || isChanged(EVIDENCE[name], before, after);
  });
  const name = ACTORS[writer].flatMap((by) => possible.filter((one) => SEND_TRANSITIONS[one].by === by)).at(0);
  // The state is one from which the transition can start.
  return name && { name, from: from as FromState };
};

const isChanged = (attribute: string | undefined, before: Item | undefined, after: Item): boolean =>
  attribute !== undefined && JSON.stringify(before?.[attribute]) !== JSON.stringify(after[attribute]);
