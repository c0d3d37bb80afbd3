import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import type { Interpose } from '../../local/stack/interposed.ts';

/** The kinds of events that the bill is about. */
export const EVENT_KINDS = ['inbound message', 'status', 'send, free-form', 'send, template'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** A part of a run in which one kind of event happens, one after another. */
export interface Phase {
  /** Undefined for events that are not counted: they warm the functions up, or prepare a later phase. */
  readonly kind: EventKind | undefined;
  readonly times: number;
  /** How many invocations each event causes, other than by the table's stream. */
  readonly invocations: number;
  readonly act: (index: number) => Promise<unknown>;
}

/** A running stack with its phases. */
export interface RunningSubject extends AsyncDisposable {
  readonly cloud: Pick<LocalCloud, 'functions' | 'logFolder'>;
  /** The synthesized template. */
  readonly template: unknown;
  readonly phases: readonly Phase[];
  /** How long messages and sends are kept. */
  readonly retentionDays: number;
}

/** A stack whose cost is counted. */
export interface Subject {
  readonly name: string;
  readonly start: (interpose: Interpose, events: number) => Promise<RunningSubject>;
}
