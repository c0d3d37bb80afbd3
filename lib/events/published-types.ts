import type * as z from 'zod/mini';
import type { eventDetails } from '../../lambdas/domain/events/event-details.ts';
import type { EventName } from '../../lambdas/domain/events/event-names.ts';
import type { sendRequest } from '../../lambdas/domain/send-request.ts';

// The package has these types spelled out with comments instead, which lib/documents/published-types.ts writes.

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** The detail of each event, by the event's name. */
export type EventDetails = { readonly [Name in EventName]: DeepReadonly<z.output<(typeof eventDetails)[Name]>> };

/** The user that an event is about. */
export type EventContact = EventDetails['ContactOptedIn']['contact'];

/** The chat service account that an event is about. */
export type EventAccount = EventDetails['AccountHeld']['account'];

/** A message on the send queue: see docs/sending.md. */
export type SendRequest = DeepReadonly<z.input<typeof sendRequest>>;
