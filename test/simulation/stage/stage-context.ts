import type { VirtualClock } from '../world/virtual-clock.ts';
import { type Agenda, createAgenda, type Entry } from './agenda.ts';
import { createDraw, type Draw } from './draw.ts';
import type { Features, History } from './history.ts';
import type { LedgerEntry } from './ledger.ts';
import type { OnEntry } from './stage-run.ts';

/** A ledger entry without its time and its process. */
export type LedgerEvent = LedgerEntry extends infer Each
  ? Each extends LedgerEntry
    ? Omit<Each, 'atMs' | 'process'>
    : never
  : never;

/** What every part of a simulated stage shares. */
export interface StageContext {
  readonly clock: VirtualClock;
  readonly agenda: Agenda;
  readonly draw: Draw;
  readonly features: Features;
  readonly entries: readonly LedgerEntry[];
  /** Whether the faults have ended. */
  readonly isCalm: boolean;
  /** Adds an entry to the ledger. */
  record(event: LedgerEvent, process?: string): void;
  /** Schedules something. `what` identifies it. */
  after(ms: number, what: string, happen: () => void): Entry;
  /** Returns a delay of at most `maxMs`, usually a short one. `what` identifies what is delayed. */
  delayMs(what: string, maxMs: number): number;
  /** Returns the same, and then another, fraction for what happens again and again. */
  next(what: string): number;
}

export interface StageContextOptions {
  readonly history: History;
  readonly clock: VirtualClock;
  readonly calmAtMs: number;
  readonly onEntry?: OnEntry;
}

export const createStageContext = ({ history, clock, calmAtMs, onEntry }: StageContextOptions): StageContext => {
  const agenda = createAgenda();
  const draw = createDraw(history.seed);
  const entries: LedgerEntry[] = [];
  const counts = new Map<string, number>();
  return {
    clock,
    agenda,
    draw,
    features: history.features,
    entries,
    get isCalm() {
      return clock.ms > calmAtMs;
    },
    record(event, process) {
      const entry: LedgerEntry = { atMs: clock.ms, ...(process !== undefined && { process }), ...event };
      entries.push(entry);
      onEntry?.(entry);
    },
    after: (ms, what, happen) => agenda.add(clock.ms + ms, draw.identify(what), happen),
    delayMs: (what, maxMs) => 1 + Math.floor(draw.fraction(draw.identify(what), 0) ** 3 * maxMs),
    next(what) {
      const count = (counts.get(what) ?? 0) + 1;
      counts.set(what, count);
      return draw.fraction(draw.identify(what), count);
    },
  };
};
