/** Why a business may write first (contract, "Rules of use" 3). */
export const REASONS = [
  'account-update',
  'appointment',
  'activity',
  'payment',
  'reservation',
  'shipping-status',
  'ticket-change',
  'transport',
  'similar',
] as const;
