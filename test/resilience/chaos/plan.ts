import type { KilledFunction, Outage, PartName, SandboxFault } from './parts.ts';

/** How a contact behaves for the whole run. */
export type Profile =
  /** Has opted in, and writes now. */
  | 'ordinary'
  /** Wrote more than a day ago and never again, so the window is closed. */
  | 'silent'
  /** Has opted in, and never writes. */
  | 'opted-in'
  /** Has neither written nor opted in. */
  | 'unknown'
  /** Writes, and keeps opting in and out. */
  | 'changing';

export interface PlannedContact {
  readonly address: string;
  readonly profile: Profile;
  /** When the contact is erased. There is no load for it afterward. */
  readonly eraseAtMs: number | undefined;
}

/** What a user or the chat service does. The fields become the body of an event. */
export type EventStep =
  | { readonly kind: 'write'; readonly contact: string; readonly text: string; readonly ageMs: number }
  | { readonly kind: 'read'; readonly contact: string }
  | {
      readonly kind: 'event';
      readonly contact: string;
      /** Identifies the event in the ledgers. */
      readonly id: string;
      readonly expected: 'message' | 'echo' | 'status' | 'unreadable';
      readonly fields: Readonly<Record<string, unknown>>;
      readonly ageMs: number;
      /** The number of times it is published. */
      readonly times: number;
    };

/** What an internal system does. */
export interface SendStep {
  readonly kind: 'send';
  readonly contact: string;
  readonly requestId: string;
  /** `reused`: the id of an earlier request, with another body. */
  readonly expected: 'end' | 'malformed' | 'reused';
  readonly via: 'queue' | 'api';
  readonly fields: Readonly<Record<string, unknown>>;
  readonly sendInMs: number | undefined;
  readonly notAfterInMs: number | undefined;
  /** The number of times it is put on the queue. */
  readonly times: number;
}

/** What an operator does. */
export type OperatorStep =
  | { readonly kind: 'consent'; readonly contact: string; readonly consent: 'opt-in' | 'opt-out' }
  | { readonly kind: 'erase'; readonly contact: string }
  | { readonly kind: 'cancel'; readonly contact: string; readonly requestId: string };

export type LoadStep = { readonly atMs: number } & (EventStep | SendStep | OperatorStep);

export type FaultStep = { readonly atMs: number } & (
  | {
      readonly kind: 'outage';
      readonly part: PartName;
      readonly outage: Outage;
      readonly forMs: number;
      /** A function whose next process makes a call that is rare otherwise. */
      readonly kill: KilledFunction | undefined;
    }
  | { readonly kind: 'kill'; readonly functionName: KilledFunction; readonly victim: number }
  | { readonly kind: 'sandbox'; readonly fault: SandboxFault; readonly count: number }
);

/** Everything that a run does, drawn from its seed before it starts, except the faults of single calls. */
export interface ChaosPlan {
  readonly durationMs: number;
  readonly contacts: readonly PlannedContact[];
  readonly load: readonly LoadStep[];
  readonly faults: readonly FaultStep[];
}
