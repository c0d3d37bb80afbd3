import type { Instant } from '../instant.ts';

/** When people took over a contact, and when they gave it back. Each time only moves forward. */
export interface HandoverTimes {
  /** When an operator or a system last handed the contact over to people. */
  readonly handoverAt?: string | undefined;
  /** When it was last handed back. */
  readonly handbackAt?: string | undefined;
  /** When an operator last wrote to the user in the chat service's console. */
  readonly operatorWroteAt?: string | undefined;
  /** Until when that message hands the contact over, if operators' messages do. */
  readonly operatorUntil?: string | undefined;
}

export const HANDOVER_STATES = ['people', 'automated'] as const;

/** Who answers a contact: people, or automated systems. */
export type Handover =
  | {
      readonly state: 'people';
      readonly since: Instant;
      /** When an operator's message stops counting. Without it, only a handback ends the handover. */
      readonly until?: Instant;
    }
  | { readonly state: 'automated' };

/** Derives who answers a contact at a time, regardless of the order in which the times were recorded. */
export const handoverOf = (
  { handoverAt, handbackAt = '', operatorWroteAt, operatorUntil }: HandoverTimes,
  now: Instant,
): Handover => {
  if (handoverAt !== undefined && handoverAt > handbackAt) return { state: 'people', since: handoverAt };
  if (operatorWroteAt !== undefined && operatorWroteAt > handbackAt && operatorUntil !== undefined) {
    return now < operatorUntil
      ? { state: 'people', since: operatorWroteAt, until: operatorUntil }
      : { state: 'automated' };
  }
  return { state: 'automated' };
};
