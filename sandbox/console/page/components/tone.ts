export type Tone = 'success' | 'pending' | 'error' | 'neutral';

/** The tone of each state of Parley's sends. A test compares the states with Parley's. */
export const SEND_TONES = {
  queued: 'neutral',
  scheduled: 'neutral',
  claimed: 'pending',
  waiting: 'pending',
  accepted: 'success',
  refused: 'error',
  rejected: 'error',
  expired: 'error',
  uncertain: 'pending',
  cancelled: 'neutral',
  failed: 'error',
} as const satisfies Readonly<Record<string, Tone>>;

export type SendState = keyof typeof SEND_TONES;

const TONES: ReadonlyMap<string, Tone> = new Map<string, Tone>([
  ...Object.entries(SEND_TONES),
  ['approved', 'success'],
  ['sent', 'success'],
  ['delivered', 'success'],
  ['read', 'success'],
  ['answered', 'success'],
  ['pending', 'pending'],
  ['error', 'error'],
]);

/** Returns the tone for the state of a send or the status of a rule, template or message. */
export const toneOf = (state: string): Tone => TONES.get(state) ?? 'neutral';
