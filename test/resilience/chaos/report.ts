import type { ChaosRun } from './chaos.ts';
import type { CheckResult } from './compare.ts';
import type { FaultCount } from './fault-counts.ts';

const MAX_SHOWN = 10;

export const isPassed = ({ checks }: Pick<ChaosRun, 'checks'>): boolean =>
  checks.every(({ violations }) => violations.length === 0);

/** Describes a run: its seed, its rates, the faults, and the checks. */
export const describeRun = (run: ChaosRun): string => {
  const { options, load, quietAfterSeconds, clockMovedSeconds, faults, checks, ledgers } = run;
  const { minutes, eventsPerSecond, sendsPerSecond, seed } = options;
  const rate = (count: number) => (count / load.seconds).toFixed(1);
  const lines = [
    `Seed: ${seed}`,
    `Load: ${Math.round(load.seconds)} s, ${load.events} user events (${rate(load.events)}/s, target ${eventsPerSecond}/s), ` +
      `${load.sends} send requests (${rate(load.sends)}/s, target ${sendsPerSecond}/s)`,
    `Calls to the chat service: ${run.callsUnderLoad} under load, ${ledgers.calls.length - run.callsUnderLoad} afterward`,
    `Quiet after ${Math.round(quietAfterSeconds)} s, with the clock moved forward by ${Math.round(clockMovedSeconds)} s`,
    `Sends: ${describeStates(run)}`,
    `Outbox: ${ledgers.outbox.length} messages; bus: ${ledgers.published.length} events`,
    '',
    ...faultTable(faults),
    '',
    ...checkTable(checks),
    ...describeViolations(run),
    '',
    isPassed(run)
      ? 'Passed: nothing was lost or done twice.'
      : `Failed. To run it again: npm run chaos -- --minutes ${minutes} --events ${eventsPerSecond} --sends ${sendsPerSecond} --seed ${seed}`,
  ];
  return lines.join('\n');
};

const describeStates = ({ ledgers: { table } }: ChaosRun): string => {
  const sends = Object.values(table).filter(({ sk }) => sk === 'SEND');
  const states = Map.groupBy(sends, ({ state }) => String(state));
  return [...states].map(([state, { length }]) => `${length} ${state}`).join(', ');
};

const faultTable = (faults: readonly FaultCount[]): readonly string[] =>
  [...Map.groupBy(faults, ({ part }) => part)].map(
    ([part, rows]) => `${part.padEnd(32)} ${rows.map(({ fault, count }) => `${fault} ${count}`).join(', ')}`,
  );

const checkTable = (checks: readonly CheckResult[]): readonly string[] =>
  checks.map(
    ({ name, compared, violations }) =>
      `${violations.length === 0 ? 'ok    ' : 'FAILED'} ${name}: ${compared} compared, ${violations.length} wrong`,
  );

const describeViolations = ({ checks, folder }: ChaosRun): readonly string[] =>
  checks
    .filter(({ violations }) => violations.length > 0)
    .flatMap(({ name, violations }) => [
      '',
      `${name}:`,
      ...violations.slice(0, MAX_SHOWN).flatMap(({ id, why }) => [`  ${id} ${why}`]),
      ...(violations.length > MAX_SHOWN ? [`  and ${violations.length - MAX_SHOWN} more`] : []),
      `  To investigate: grep -n '${violations[0]?.id}' ${folder}/ledgers.json ${folder}/logs/*.log`,
    ]);
