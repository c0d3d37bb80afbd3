import type { Draw } from './draw.ts';
import { shuffle } from './fault-deck.ts';
import { KILLED_FUNCTIONS, type KilledFunction, OUTAGES, PART_NAMES, type PartName, SANDBOX_FAULTS } from './parts.ts';
import type { FaultStep } from './plan.ts';

const OUTAGE_EVERY_MS = 11_000;
const KILL_EVERY_MS = 4_000;
const SANDBOX_FAULT_EVERY_MS = 1_800;
/**
 * The point before which the chat service injects no faults. Most of its faults open the circuit breaker, and then only
 * probes are sent, but most requests should be sent under load.
 */
const FIRST_SANDBOX_FAULT = 0.5;
/** The point after which no new outages start. */
const LAST_START = 0.95;

/** Only new processes make these calls, so a process is killed during the outage. */
const KILLED_DURING: Partial<Record<PartName, KilledFunction>> = { secrets: 'Sender', signingKeys: 'Receiver' };

/**
 * Senders are killed less often, because a sender that dies during a probe keeps the circuit breaker open until the
 * probe's lease ends, and all others wait.
 */
const KILLS: readonly KilledFunction[] = [...KILLED_FUNCTIONS, ...KILLED_FUNCTIONS.filter((name) => name !== 'Sender')];

/** Draws the timed faults: outages, killed processes, and the faults of the sandbox. */
export const drawFaults = (draw: Draw, durationMs: number): readonly FaultStep[] => {
  const outages = deal(
    draw,
    PART_NAMES.flatMap((part) => OUTAGES.map((outage) => ({ part, outage }))),
  );
  const kills = deal(draw, KILLS);
  const sandbox = deal(draw, SANDBOX_FAULTS);
  const every = <Step>(periodMs: number, create: (atMs: number) => Step, from = 0): readonly Step[] =>
    Array.from({ length: Math.max(1, Math.floor((durationMs * (LAST_START - from)) / periodMs)) }, (_, index) =>
      create(Math.floor(durationMs * from + (index + draw.random()) * periodMs)),
    );
  const steps: readonly FaultStep[] = [
    ...every(OUTAGE_EVERY_MS, (atMs) => {
      const { part, outage } = outages();
      return {
        atMs,
        kind: 'outage' as const,
        part,
        outage,
        forMs: draw.between(1_500, 5_000),
        kill: KILLED_DURING[part],
      };
    }),
    ...every(KILL_EVERY_MS, (atMs) => ({ atMs, kind: 'kill' as const, functionName: kills(), victim: draw.random() })),
    ...every(
      SANDBOX_FAULT_EVERY_MS,
      (atMs) => {
        const fault = sandbox();
        // Several failed responses in a row would only keep the circuit breaker open.
        const count = fault.startsWith('deliveries') ? draw.between(2, 6) : 1;
        return { atMs, kind: 'sandbox' as const, fault, count };
      },
      FIRST_SANDBOX_FAULT,
    ),
  ];
  return steps.toSorted((one, other) => one.atMs - other.atMs);
};

/** Returns a function that deals every entry once before it repeats any. */
const deal = <Entry>(draw: Draw, entries: readonly Entry[]): (() => Entry) => {
  let cards: Entry[] = [];
  return () => {
    if (cards.length === 0) cards = shuffle(entries, draw.random);
    const card = cards.pop();
    if (card === undefined) throw new Error('There is nothing to deal.');
    return card;
  };
};
