import { NOW } from '../../support/builders.ts';
import { createVirtualClock } from '../world/virtual-clock.ts';
import type { Act, History } from './history.ts';
import { QUEUES, type QueueName } from './ledger.ts';
import { createPerformAct } from './perform-act.ts';
import { createStage } from './stage.ts';
import { createStageContext } from './stage-context.ts';
import type { PlayHistory, QueuedMessage } from './stage-run.ts';

/**
 * How long a stage may take to become quiet after the last act and fault: a request waits in its queue for ten days at
 * most, and its dead letter moves to the table after a week.
 */
const MAX_CALM_MS = 21 * 24 * 60 * 60 * 1000;
/**
 * In how many runs an account without credit gets none when the acts are over. Its requests wait in the queue for ten
 * days, with thousands of attempts.
 */
const WITHOUT_CREDIT_RATE = 0.02;
const START_MS = Date.parse(NOW);

/**
 * Plays a history on a stage in memory. Its functions run as deployed, on a clock that jumps to whatever happens next.
 */
export const playHistory: PlayHistory = async (history, { onEntry, createMutation } = {}) => {
  const firstMs = Math.min(START_MS, ...history.acts.slice(0, 1).map(({ atMs }) => atMs));
  const clock = createVirtualClock(new Date(firstMs).toISOString());
  const calmAtMs = calmAt(history);
  const context = createStageContext({ history, clock, calmAtMs, ...(onEntry && { onEntry }) });
  const { agenda, record, entries } = context;
  const stage = createStage({ context, faults: history.faults, createMutation });
  const perform = createPerformAct(context, stage);
  for (const [index, act] of history.acts.entries()) agenda.add(act.atMs, index, () => perform(act));
  agenda.add(calmAtMs, 2 ** 33, () => {
    if (context.next('no credit for ever') > WITHOUT_CREDIT_RATE) {
      const lasting = history.acts.findLast(({ kind }) => kind === 'credit');
      if (lasting?.kind === 'credit' && !lasting.hasCredit) perform({ ...lasting, atMs: calmAtMs, hasCredit: true });
    }
    record({ kind: 'calm' });
  });

  let how: 'quiet' | 'endless' = 'quiet';
  for (let entry = agenda.take(); entry !== undefined; entry = agenda.take()) {
    if (entry.atMs > calmAtMs + MAX_CALM_MS) {
      how = 'endless';
      break;
    }
    if (entry.atMs > clock.ms) clock.moveTo(entry.atMs);
    const { happen } = entry;
    entry.happen = undefined;
    happen?.();
    await drained();
  }
  const endedAtMs = clock.ms;
  stage.calls.close();
  await drained();

  const queued = Object.fromEntries(QUEUES.map((name) => [name, stage.queues[name].contents()]));
  return {
    history,
    ledger: { entries },
    how,
    items: stage.table.items,
    queued: queued as Record<QueueName, readonly QueuedMessage[]>,
    scheduled: stage.schedules.waiting(),
    possibleFaults: stage.calls.possibleFaults,
    calmAtMs,
    endedAtMs,
  };
};

/** When the last act happens, or its effect ends. */
const calmAt = ({ acts }: History): number => Math.max(START_MS, ...acts.map(endOf));

const endOf = (act: Act): number => {
  switch (act.kind) {
    case 'outage':
    case 'throttle':
    case 'lock-secret':
      return act.atMs + act.forMs;
    case 'rotate-token':
      return act.atMs + act.secretFollowsMs;
    default:
      return act.atMs;
  }
};

/**
 * Waits until every promise that can continue has done so: Node.js runs a tick only when no promise is left to continue,
 * if the tick was requested by one.
 */
const drained = async (): Promise<void> => {
  await undefined;
  await new Promise<void>((resolve) => process.nextTick(resolve));
};
