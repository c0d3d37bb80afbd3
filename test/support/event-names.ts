/**
 * The event that is published when a send reaches each final state. The names are not imported from the functions, so
 * that the checks find a wrong name there.
 */
export const EVENT_OF_STATE: Readonly<Record<string, string>> = {
  accepted: 'SendAccepted',
  refused: 'SendRefused',
  rejected: 'SendRejected',
  expired: 'SendExpired',
  uncertain: 'SendUncertain',
  cancelled: 'SendCancelled',
  failed: 'SendFailed',
};

/** The event that is published for each status time of a message. */
export const EVENT_OF_STATUS_TIME: Readonly<Record<string, string>> = {
  sentAt: 'MessageStatusChanged',
  deliveredAt: 'MessageDelivered',
  readAt: 'MessageRead',
  answeredAt: 'MessageStatusChanged',
  failedAt: 'MessageFailed',
};
