import type { Draw } from './draw.ts';
import { shuffle } from './fault-deck.ts';
import { KILLED_FUNCTIONS, type KilledFunction, OUTAGES, PART_NAMES, type PartName, SANDBOX_FAULTS } from './parts.ts';
import type { FaultStep } from './plan.ts';

const OUTAGE_EVERY_MS = 11_000;
const KILL_EVERY_MS = 4_000;
const SANDBOX_FAULT_EVERY_MS = 4_000;
/** From here on, the load runs without new outages. */
const LAST_START = 0.95;

/** Only new processes make these calls, so one is killed during the outage. */
const KILLED_DURING: Partial<Record<PartName, KilledFunction>> = { secrets: 'Sender', signingKeys: 'Receiver' };

/**
 * A sender that dies during a probe of an open circuit breaker keeps it open until the probe's lease ends, and the others
 * wait. So senders die less often.
 */
const KILLS: readonly KilledFunction[] = [...KILLED_FUNCTIONS, ...KILLED_FUNCTIONS.filter((name) => name !== 'Sender')];

/** Draws the faults that happen at a time: outages, killed processes, and the faults of the sandbox. */
export const drawFaults = (draw: Draw, durationMs: number): readonly FaultStep[] => {
  const outages = deal(
    draw,
    PART_NAMES.flatMap((part) => OUTAGES.map((outage) => ({ part, outage }))),
  );
  const kills = deal(draw, KILLS);
  const sandbox = deal(draw, SANDBOX_FAULTS);
  const every = <Step>(periodMs: number, create: (atMs: number) => Step): readonly Step[] =>
    Array.from({ length: Math.max(1, Math.floor((durationMs * LAST_START) / periodMs)) }, (_, index) =>
      create(Math.floor((index + draw.random()) * periodMs)),
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
    ...every(SANDBOX_FAULT_EVERY_MS, (atMs) => {
      const fault = sandbox();
      // Several failed answers in a row would only keep the circuit breaker open.
      const count = fault.startsWith('deliveries') ? draw.between(2, 6) : 1;
      return { atMs, kind: 'sandbox' as const, fault, count };
    }),
  ];
  return steps.toSorted((one, other) => one.atMs - other.atMs);
};

/** Returns the function that deals every entry before it deals one again. */
const deal = <Entry>(draw: Draw, entries: readonly Entry[]): (() => Entry) => {
  let cards: Entry[] = [];
  return () => {
    if (cards.length === 0) cards = shuffle(entries, draw.random);
    const card = cards.pop();
    if (card === undefined) throw new Error('There is nothing to deal.');
    return card;
  };
};
