/** The events that warm functions handle. A status is Delivered or Read. */
export const WARM_KINDS = ['inbound message', 'status', 'send'] as const;
export type WarmKind = (typeof WARM_KINDS)[number];
