/**
 * The states of a send. `accepted`, `refused`, `rejected`, `expired`, `cancelled`, and `failed` are final, except that an
 * operator can resend a rejected send, and that a status can show that an earlier call was accepted, or that an accepted
 * message failed. `failed` means that the chat service accepted the message and later reported that it failed. `claimed` means
 * that a function is calling the chat service, or died during the call. `uncertain` means that it is unknown whether
 * the message was sent.
 */
export const SEND_STATES = [
  'queued',
  'scheduled',
  'claimed',
  'waiting',
  'accepted',
  'refused',
  'rejected',
  'expired',
  'uncertain',
  'cancelled',
  'failed',
] as const;

export type SendState = (typeof SEND_STATES)[number];

/** A state to start from; `none` stands for a request that has no item yet. */
export type FromState = SendState | 'none';

/** What must be true of the item besides its state, so that two writers cannot both change it. */
export type SendGuard =
  /** The item's request has the same body. */
  | 'same-request'
  /** Parley had given up on the request after processing had failed for a day, so a redrive may send it. */
  | 'processing-failed'
  /** The item has a different reason for waiting, or processing has failed since that reason was recorded. */
  | 'other-decision'
  /** The limit of unknown outcomes is not reached, and the chat service answered none of the calls with a 2xx. */
  | 'may-resend'
  /** The outcome of an earlier call is unknown, so its message may have been sent. */
  | 'unknown-earlier'
  /**
   * The chat service accepted the request without returning an id, and no earlier status has added one. Of two messages
   * with the same time, the one with the lesser id is earlier.
   */
  | 'identified-no-earlier'
  /** The item's latest claim belongs to the writer. */
  | 'own-claim'
  /** The item's latest claim is another one and not later, so this is not a claim that takes effect late or again. */
  | 'later-claim'
  /** The contact was not erased, and neither was the request. */
  | 'not-erased'
  /** Like `not-erased`, but applies only if the write adds a note, which can contain personal data. */
  | 'note-not-erased'
  /** A status confirmed the send; the chat service's own answer, which takes precedence, has not arrived. */
  | 'confirmed-by-status'
  /** Like `confirmed-by-status`, and that status is not earlier than the writer's, as in `identified-no-earlier`. */
  | 'confirmed-no-earlier'
  /** The item's message is the one that the writer knows, or the writer knows none. */
  | 'same-message'
  /** The writer knows a message, and the item's is another one. */
  | 'other-message'
  /** The failure that is recorded is later than the writer's, or its description sorts after it. */
  | 'failed-later'
  /** No earlier call of a request to a customer went to another address. */
  | 'same-address'
  /** The send still belongs to the contact that is being erased. */
  | 'same-contact'
  /** The lease of the latest claim has expired, so the function that held it has died. */
  | 'lease-expired';

export interface SendTransition {
  readonly to: SendState;
  /**
   * The function that makes it; `operator` goes through the management API. What `receive` makes is due to a status. If
   * the status comes before the send has a message, whoever records the message makes the transition.
   */
  readonly by: 'send' | 'receive' | 'manage' | 'operator';
  readonly when: string;
  readonly from: { readonly [State in FromState]?: readonly SendGuard[] };
}

const SAME = ['same-request'] as const;
const OWN = ['own-claim'] as const;
const RESOLVED = ['own-claim', 'note-not-erased'] as const;
const UNKNOWN_EARLIER = ['unknown-earlier'] as const;
const REDRIVEN = ['same-request', 'processing-failed'] as const;

/** The states that a send can leave without a call to the chat service, with their guards. */
const UNCALLED = {
  none: [],
  queued: SAME,
  scheduled: SAME,
  waiting: SAME,
  refused: REDRIVEN,
} as const;

/**
 * Every change of a send's state. Each is one conditional write that `createTransitions` derives from this table; the
 * diagram in docs/architecture.md is generated from it.
 */
export const SEND_TRANSITIONS = {
  register: { to: 'queued', by: 'manage', when: 'the API accepts the request', from: { none: [] } },
  schedule: {
    to: 'scheduled',
    by: 'send',
    when: 'sendAt is in the future',
    from: { none: [], queued: SAME, refused: REDRIVEN },
  },
  claim: {
    to: 'claimed',
    by: 'send',
    when: 'it may be sent now',
    from: {
      none: [],
      queued: SAME,
      scheduled: [...SAME, 'same-address'],
      waiting: [...SAME, 'same-address', 'later-claim'],
      refused: [...REDRIVEN, 'same-address'],
    },
  },
  claimAgain: {
    to: 'claimed',
    by: 'send',
    when: 'its request says onUncertain: resend',
    from: { uncertain: [...SAME, 'same-address', 'may-resend', 'later-claim'] },
  },
  // The call that the template replaces was answered with error 201, so it sent nothing.
  replaceCall: {
    to: 'claimed',
    by: 'send',
    when: 'a template replaces it after error 201',
    from: { claimed: OWN },
  },
  wait: {
    to: 'waiting',
    by: 'send',
    when: 'it must wait, or its call was not made',
    from: { ...UNCALLED, waiting: ['same-request', 'other-decision'], claimed: OWN },
  },
  refuse: { to: 'refused', by: 'send', when: 'a rule forbids it', from: { ...UNCALLED, claimed: OWN } },
  expire: {
    to: 'expired',
    by: 'send',
    when: 'notAfter has passed, or SQS would soon delete it',
    from: { ...UNCALLED, claimed: OWN },
  },
  // Only an acceptance can replace `uncertain`: by then, the request's message may be gone from the queue.
  accept: {
    to: 'accepted',
    by: 'send',
    when: 'the chat service accepts it',
    from: {
      claimed: OWN,
      uncertain: OWN,
      accepted: ['own-claim', 'confirmed-by-status'],
      // The message that failed belongs to an earlier call.
      failed: ['own-claim', 'confirmed-by-status', 'other-message'],
    },
  },
  acceptFailed: {
    to: 'failed',
    by: 'send',
    when: 'its answer comes after that status',
    from: { failed: ['own-claim', 'confirmed-by-status', 'same-message'] },
  },
  reject: { to: 'rejected', by: 'send', when: 'the chat service rejects it', from: { claimed: OWN } },
  loseTrack: {
    to: 'uncertain',
    by: 'send',
    when: 'the outcome of the call is unknown, or its lease expired',
    from: { claimed: OWN },
  },
  confirm: {
    to: 'accepted',
    by: 'receive',
    when: 'a status names it',
    from: {
      claimed: [],
      waiting: [],
      uncertain: [],
      accepted: ['confirmed-no-earlier'],
    },
  },
  confirmEarlier: {
    to: 'accepted',
    by: 'receive',
    when: 'a late status arrives',
    from: {
      refused: UNKNOWN_EARLIER,
      rejected: UNKNOWN_EARLIER,
      expired: UNKNOWN_EARLIER,
      cancelled: UNKNOWN_EARLIER,
    },
  },
  identify: {
    to: 'accepted',
    by: 'receive',
    when: 'a status adds its message ID',
    from: { accepted: ['identified-no-earlier'] },
  },
  fail: {
    to: 'failed',
    by: 'receive',
    when: 'a status says that its message failed',
    from: {
      accepted: ['same-message', 'not-erased'],
      failed: ['same-message', 'failed-later', 'not-erased'],
    },
  },
  confirmFailed: {
    to: 'failed',
    by: 'receive',
    when: 'an earlier status of the message arrives',
    from: { failed: ['confirmed-no-earlier', 'same-message'] },
  },
  identifyFailed: {
    to: 'failed',
    by: 'receive',
    when: 'an earlier status of the message arrives',
    from: { failed: ['identified-no-earlier', 'same-message'] },
  },
  identifyOther: {
    to: 'accepted',
    by: 'receive',
    when: 'another message of it is earlier',
    from: { failed: ['identified-no-earlier', 'other-message'] },
  },
  // Its queue message or its schedule ends later, when it finds the send cancelled.
  cancel: {
    to: 'cancelled',
    by: 'operator',
    when: 'an operator cancels it',
    from: { queued: [], scheduled: [], waiting: [] },
  },
  cancelErased: {
    to: 'cancelled',
    by: 'manage',
    when: 'its contact is erased',
    from: { queued: ['same-contact'], scheduled: ['same-contact'], waiting: ['same-contact'] },
  },
  // The function that claimed the send died. If its queue message is still there, it finds an erased request.
  loseTrackErased: {
    to: 'uncertain',
    by: 'manage',
    when: 'its contact is erased after its lease expired',
    from: { claimed: ['same-contact', 'lease-expired'] },
  },
  resolveAccepted: {
    to: 'accepted',
    by: 'operator',
    when: 'an operator finds that it was accepted',
    from: { uncertain: RESOLVED },
  },
  resolveFailed: {
    to: 'rejected',
    by: 'operator',
    when: 'an operator finds that it failed',
    from: { uncertain: RESOLVED },
  },
  resend: {
    to: 'waiting',
    by: 'operator',
    when: 'an operator resends it',
    from: { uncertain: ['own-claim', 'not-erased'], rejected: ['own-claim', 'not-erased'] },
  },
} as const satisfies Record<string, SendTransition>;

export type SendTransitionName = keyof typeof SEND_TRANSITIONS;

/** Whether the transition can start from this state, regardless of its guards. */
export const canStartFrom = (name: SendTransitionName, state: FromState): boolean =>
  Object.hasOwn(SEND_TRANSITIONS[name].from, state);
