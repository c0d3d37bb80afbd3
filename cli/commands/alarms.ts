import { setTimeout as pause } from 'node:timers/promises';
import { Command } from '@commander-js/extra-typings';
import { type CommandResult, type CreateCommand, count, examples } from '../base/command.ts';
import { EXIT } from '../base/errors.ts';
import { type AlarmReport, readAlarms } from '../operations/read-alarms.ts';

/** CloudWatch evaluates alarms once a minute; a local run's clock can move faster. */
const WATCH_MS = { cloud: 15_000, local: 1_000 };

export const createAlarmsCommand: CreateCommand = ({ target, report, say, stop }) =>
  new Command('alarms')
    .description(
      'Show which alarms are on, what they mean, and where the runbook says what to do.\n\n' +
        'With --watch, the command prints each alarm that starts or ends, until Ctrl-C. If an alarm is on at the end, the ' +
        'exit code is 6.',
    )
    .option('--watch', 'Print changes until Ctrl-C')
    .addHelpText('after', examples('parley alarms --stage prod', 'parley alarms --watch --local'))
    .action(async ({ watch }) => {
      const found = await target();
      let alarms = await readAlarms(found);
      if (watch) {
        for (const line of describeAlarms(alarms)) say(line);
        const everyMs = found.isLocal ? WATCH_MS.local : WATCH_MS.cloud;
        while (!stop.aborted) {
          await pause(everyMs, undefined, { signal: stop }).catch(() => undefined);
          if (stop.aborted) break;
          const next = await readAlarms(found);
          for (const line of describeChanges(alarms, next)) say(line);
          alarms = next;
        }
      }
      report(alarmsResult(alarms, found.name));
    });

export const alarmsResult = (alarms: readonly AlarmReport[], target: string): CommandResult => ({
  lines: describeAlarms(alarms),
  json: { target, alarms },
  exitCode: alarms.some(({ isOn }) => isOn) ? EXIT.partial : EXIT.done,
});

const describeAlarms = (alarms: readonly AlarmReport[]): readonly string[] => {
  const on = alarms.filter(({ isOn }) => isOn);
  const unknown = alarms.filter(({ isOn }) => isOn === undefined);
  return [
    ...on.flatMap(({ alarm, since, description }) => [`${alarm} has been on since ${since}`, `  ${description}`]),
    on.length === 0
      ? `No alarm is on. ${count(alarms.length, 'alarm')} in total.`
      : `${count(on.length, 'alarm')} of ${alarms.length} on.`,
    ...(unknown.length === 0 ? [] : [`Not evaluated yet: ${unknown.map(({ alarm }) => alarm).join(', ')}.`]),
  ];
};

/** Describes what changed between two readings. An alarm that ended and started again in between is not noticed. */
export const describeChanges = (before: readonly AlarmReport[], after: readonly AlarmReport[]): readonly string[] =>
  after.flatMap(({ alarm, isOn = false, since, description }) => {
    const wasOn = before.find((one) => one.alarm === alarm)?.isOn ?? false;
    if (isOn === wasOn) return [];
    return isOn ? [`${since}  ${alarm} started: ${description}`] : [`${since}  ${alarm} ended`];
  });
