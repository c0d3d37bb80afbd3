import type { SendTransitionName } from '../../../lambdas/domain/send-transitions.ts';
import type { Fault } from '../world/faults.ts';
import type { SceneOptions } from './scene-options.ts';
import type { SceneScenarioName } from './scene-scenarios.ts';

/** The ways to start each function, by the folder of its entry, and how to detect that a scene uses each way. */
export const ENTRY_POINTS = {
  receive: {
    'a webhook request': ({ posts = [] }: SceneOptions) => posts.length > 0,
    'a message of the inbound queue': ({ consumes }: SceneOptions) => consumes?.includes('inbound') === true,
  },
  send: { 'a message of the send queue': ({ consumes }: SceneOptions) => consumes?.includes('send') === true },
  publish: { 'records of the stream': ({ publishes = false }: SceneOptions) => publishes },
  manage: {
    'a call of the management API': ({ callers = [] }: SceneOptions) => callers.length > 0,
    'a message of the erasure queue': ({ consumes }: SceneOptions) => consumes?.includes('erasures') === true,
    'the daily schedule': ({ keeps = 0 }: SceneOptions) => keeps > 0,
  },
} as const satisfies Record<string, Record<string, (options: SceneOptions) => boolean>>;

/** A scenario in which each transition of a send happens, with the faults that it requires. */
export const TRANSITION_SCENARIOS = {
  register: ['registerTwice'],
  schedule: ['cancelWhileScheduling'],
  claim: ['registerBesideQueue'],
  claimAgain: ['resendAutomatically', 'fails-after'],
  replaceCall: ['templateAfterError201'],
  wait: ['tokenReplaced'],
  refuse: ['optOutWhileSending'],
  expire: ['expired'],
  accept: ['registerBesideQueue'],
  reject: ['expired'],
  loseTrack: ['registerBesideQueue', 'fails-after'],
  confirm: ['resolveAcceptedAndStatus'],
  confirmEarlier: ['rejectedThenConfirmed'],
  identify: ['identified'],
  fail: ['failedBeforeAnswer'],
  acceptFailed: ['failedBeforeAnswer'],
  confirmFailed: ['failedThenDelivered'],
  identifyFailed: ['identifiedAndFailed'],
  identifyOther: ['oneOfTwoMessagesFailed'],
  cancel: ['cancelScheduled'],
  cancelErased: ['erase'],
  loseTrackErased: ['eraseAbandonedClaim'],
  resolveAccepted: ['resolveAcceptedAndStatus'],
  resolveFailed: ['resolveFailed'],
  resend: ['resendAndRedelivery'],
} as const satisfies Record<SendTransitionName, readonly [SceneScenarioName, ...Fault[]]>;
