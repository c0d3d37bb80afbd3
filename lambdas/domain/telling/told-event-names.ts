/** Every event that is told, by the name that is its `detail-type`. */
export const TOLD_EVENT_NAMES = [
  'MessageReceived',
  'MessageEchoed',
  'MessageDelivered',
  'MessageRead',
  'MessageFailed',
  'MessageStatusChanged',
  'SendAccepted',
  'SendRefused',
  'SendRejected',
  'SendExpired',
  'SendUncertain',
  'SendCancelled',
  'AccountHeld',
  'AccountResumed',
  'ContactOptedIn',
  'ContactOptedOut',
] as const;

export type ToldEventName = (typeof TOLD_EVENT_NAMES)[number];
