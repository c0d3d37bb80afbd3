/** The name of the event that each final state of a send publishes. */
export const EVENT_OF_STATE: Readonly<Record<string, string>> = {
  accepted: 'SendAccepted',
  refused: 'SendRefused',
  rejected: 'SendRejected',
  expired: 'SendExpired',
  uncertain: 'SendUncertain',
  cancelled: 'SendCancelled',
};

/** The name of the event that each time of a message's status publishes. */
export const EVENT_OF_STATUS_TIME: Readonly<Record<string, string>> = {
  sentAt: 'MessageStatusChanged',
  deliveredAt: 'MessageDelivered',
  readAt: 'MessageRead',
  failedAt: 'MessageFailed',
};
