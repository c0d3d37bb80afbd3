import type { SendTransitionName } from '../domain/send-transitions.ts';

/** Attributes that the first transition writes, and that each decision writes again. */
const REQUEST = [
  'body',
  'broadcastId',
  'broadcastShard',
  'contact',
  'contactSort',
  'createdAt',
  'firstQueuedAt',
  'traceparent',
  'expiresAt',
] as const;

const RESULT = ['outcome', 'outcomeDetails'] as const;

/** Attributes that an acceptance writes or removes. */
const ACCEPTANCE = [
  ...RESULT,
  'acceptedAt',
  'messageId',
  'messageIds',
  'transactionIds',
  'identifiedAt',
  'confirmedBy',
  'leaseUntil',
  'uncertainAt',
  'isAnswered',
] as const;

const CLAIM = [
  ...REQUEST,
  ...RESULT,
  'claimId',
  'claimedAt',
  'leaseUntil',
  'call',
  'decision',
  'code',
  'isAnswered',
  'attempts',
] as const;

const FAILURE = ['failedAt', 'failure', 'code'] as const;

const CONFIRMATION = [...ACCEPTANCE, ...FAILURE] as const;

/** Attributes that an erasure removes from a send. */
export const PERSONAL = [
  'contact',
  'contactSort',
  'createdAt',
  'traceparent',
  'call',
  'unknownCall',
  'decision',
  'outcome',
  'outcomeDetails',
  'failure',
  'transactionIds',
  'stateShard',
  'stateAt',
  'leaseUntil',
] as const;

/** Attributes that every transition may write or remove. */
export const EVERY_TRANSITION = [
  'state',
  'stateShard',
  'stateAt',
  'broadcastState',
  'failingSince',
  'lastFailedAt',
] as const;

/** The attributes that each transition may change, besides those of {@link EVERY_TRANSITION}. */
export const SEND_WRITES: Readonly<Record<SendTransitionName, readonly string[]>> = {
  register: [...REQUEST, 'queuedAt'],
  schedule: [...REQUEST, 'code', 'scheduledAt', 'sendAt'],
  claim: CLAIM,
  claimAgain: [...CLAIM, 'unknownOutcomes', 'unknownCall'],
  replaceCall: ['call', 'decision'],
  wait: [...REQUEST, ...RESULT, 'code', 'decision', 'waitingAt', 'leaseUntil', 'unsentClaimId'],
  refuse: [...REQUEST, 'code', 'decision', 'refusedAt', 'leaseUntil', 'unsentClaimId'],
  expire: [...REQUEST, 'code', 'decision', 'expiredAt', 'leaseUntil', 'unsentClaimId'],
  accept: [...ACCEPTANCE, ...FAILURE],
  acceptFailed: ACCEPTANCE,
  reject: [...RESULT, 'code', 'rejectedAt', 'leaseUntil', 'unsentClaimId'],
  loseTrack: [...RESULT, 'transactionIds', 'uncertainAt', 'isAnswered', 'leaseUntil'],
  confirm: CONFIRMATION,
  confirmEarlier: CONFIRMATION,
  fail: FAILURE,
  confirmFailed: ['acceptedAt', 'identifiedAt'],
  identifyFailed: ['identifiedAt'],
  identifyOther: ['messageId', 'messageIds', 'identifiedAt', 'acceptedAt', ...FAILURE],
  identify: ['messageId', 'messageIds', 'identifiedAt'],
  cancel: [...RESULT, 'cancelledAt'],
  cancelErased: [...PERSONAL, 'body', 'erasedAt', 'cancelledAt'],
  loseTrackErased: [...PERSONAL, 'body', 'erasedAt', 'uncertainAt'],
  resolveAccepted: [...RESULT, 'acceptedAt', 'messageId', 'messageIds', 'uncertainAt', 'isAnswered'],
  resolveFailed: [...RESULT, 'code', 'rejectedAt', 'isAnswered', 'unknownOutcomes', 'unsentClaimId'],
  resend: [...RESULT, 'code', 'waitingAt', 'isAnswered', 'unknownOutcomes', 'unknownCall'],
};

/** After a status has confirmed the send, the result of a call that sent nothing may change only these attributes. */
export const UNSENT_CALL = ['waitingAt', 'refusedAt', 'rejectedAt', 'expiredAt', 'decision', 'unsentClaimId'] as const;
