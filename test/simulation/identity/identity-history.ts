import type { ConsentKind, ConsentOrigin } from '../../../lambdas/domain/consent.ts';

/**
 * What happens to a few people who have several addresses, change them, and take over those of others, as data. The
 * steps are in the order in which Parley learns of them.
 */
export interface IdentityHistory {
  readonly seed: number;
  readonly steps: readonly IdentityStep[];
}

/** An event that the chat service delivers, possibly late or again. */
export interface Delivered {
  readonly kind: 'message' | 'edit' | 'status' | 'echo';
  /** The ID of the message. An edit has that of the message that it changes. */
  readonly id: string;
  /** When it happened, in milliseconds since the epoch. An edit happened when its message was written. */
  readonly eventMs: number;
  /** When the user edited the message. */
  readonly editedMs?: number;
  /** The address of the user; absent in a status or an echo that names only the customer. */
  readonly address?: string;
  /** The chat service's ID of the user; absent in an event that names only the address. */
  readonly customerId?: string;
  readonly name: string;
  /** Unique in the history, unless it is a keyword. */
  readonly text: string;
}

export type IdentityStep = { readonly atMs: number } & (
  | { readonly kind: 'event'; readonly event: Delivered }
  | {
      readonly kind: 'consent';
      readonly address: string;
      readonly consent: ConsentKind;
      readonly origin: ConsentOrigin;
      /** When the user said so. */
      readonly saidMs: number;
    }
  | { readonly kind: 'send'; readonly address: string; readonly content: 'text' | 'template' }
  | { readonly kind: 'sendToCustomer'; readonly customerId: string; readonly content: 'text' | 'template' }
  | { readonly kind: 'erase'; readonly address: string }
  | { readonly kind: 'read'; readonly address: string }
);

export const describeStep = ({ atMs, ...step }: IdentityStep): string =>
  `${new Date(atMs).toISOString()} ${JSON.stringify(step)}`;
