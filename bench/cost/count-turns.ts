import { eventText, WARM_UP } from './main-job-phases.ts';
import { startMeteredParley } from './metered-parley.ts';
import type { TemplateFacts } from './template-facts.ts';
import type { Usage } from './usage.ts';

/** The longest silence. What turns cost does not depend on it, and no turn ends before the clock is moved. */
const SILENCE_SECONDS = 900;

/** How many messages a turn has. */
export const TURN_SIZES = [1, 3] as const;
export type TurnSize = (typeof TURN_SIZES)[number];

/** What turns of each size used, per message. */
export interface CountedTurns {
  readonly facts: TemplateFacts;
  readonly usages: Readonly<Record<TurnSize, Usage>>;
}

/**
 * Counts what users' messages use in Parley's own stack, each user's in one turn, until the turns have ended and are
 * published.
 *
 * @throws Error if turns were not published as often as they should have been
 */
export const countTurns = async (isOn: boolean, turns: number): Promise<CountedTurns> => {
  await using running = await startMeteredParley(isOn ? { turns: { silenceSeconds: SILENCE_SECONDS } } : {});
  const { client, facts, measure, meters } = running;
  const text = await eventText(client);
  let users = 0;
  const writes = (user: number) => client.userWrites(`+54911${50_000_000 + user}`, { text });

  const run = async (times: number, size: TurnSize): Promise<void> => {
    // In rounds, so that the attempts to end one turn are far apart. The table's meter needs one write of an item at a time.
    for (let message = 0; message < size; message += 1) {
      for (let turn = 0; turn < times; turn += 1) await meters.causing(1, () => writes(users + turn));
    }
    users += times;
    // Every turn is on its queue before the silence is over.
    await meters.quiet();
    await client.advanceClock(SILENCE_SECONDS);
    await meters.quiet();
  };
  const count = async (size: TurnSize): Promise<Usage> => {
    console.error(`turns ${isOn ? 'on' : 'off'}: ${turns} × ${size} in a turn`);
    await run(WARM_UP, size);
    const usage = await measure(turns * size, () => run(turns, size));
    const expected = isOn ? 1 + 1 / size : 1;
    if (Math.abs(usage.busUnits - expected) < 1e-9) return usage;
    throw new Error(`Expected ${expected} events on the bus per message, saw ${usage.busUnits}.`);
  };

  const usages = { 1: await count(1), 3: await count(3) };
  return { facts, usages };
};
