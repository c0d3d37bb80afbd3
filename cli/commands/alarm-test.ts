import { setTimeout as pause } from 'node:timers/promises';
import { Command } from '@commander-js/extra-typings';
import { type CommandFor, type CommandResult, type CreateCommand, examples } from '../base/command.ts';
import { confirm } from '../base/confirm.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { ACTION_REMEDY, type AlarmAction } from '../operations/alarm-actions.ts';
import { readCaller } from '../operations/caller-identity.ts';
import { type AlarmReport, readAlarms } from '../operations/read-alarms.ts';
import { testAlarm } from '../operations/test-alarm.ts';

const INTERVAL_MS = 2_000;

/** Creates `alarms test`. */
export const createAlarmTestCommand: CreateCommand = (context) =>
  new Command('test')
    .description(
      'Send a test notification through an alarm.\n\n' +
        'The command sets the alarm to ALARM with a reason that says that it is a test and by whom, waits until ' +
        'CloudWatch reports whether it could notify the topic, and sets the alarm back to OK. Whoever is subscribed ' +
        'gets both notifications. If CloudWatch could not notify the topic, the exit code is 6.',
    )
    .argument('[alarm]', 'Alarm, as shown by alarms (default: one that is off)')
    .option('--yes', 'Notify without asking')
    .addHelpText(
      'after',
      examples('parley alarms test --stage prod', 'parley alarms test SendErrors --yes --stage prod'),
    )
    .action(async (name, { yes }) => {
      const { target, report, say, stop, commandFor } = context;
      const found = await target();
      if (found.isLocal) {
        throw new CliError(EXIT.refused, "The local run's alarms notify nobody. Test those of a stage in AWS.");
      }
      const alarm = chooseAlarm(await readAlarms(found), name, commandFor);
      const question =
        `Set the alarm ${alarm.alarm} of ${found.name} to ALARM and back to OK, which notifies ` +
        `${alarm.actions.join(' and ')} twice?`;
      if (yes) say(question.replace(/^Set (.*)\?$/, 'Setting $1.'));
      else await confirm(context, question, 'Nobody was notified.');
      const { arn } = await readCaller(found);
      const reported = await testAlarm({
        source: found,
        alarm,
        reason: `Test by ${arn}. No alarm condition was met.`,
        pause: () => pause(INTERVAL_MS, true, { signal: stop }).catch(() => false),
      });
      report(testResult(alarm, reported));
    });

const chooseAlarm = (alarms: readonly AlarmReport[], name: string | undefined, commandFor: CommandFor): AlarmReport => {
  const named = name === undefined ? alarms : alarms.filter(({ alarm }) => alarm === name);
  if (name !== undefined && named.length === 0) {
    throw new CliError(EXIT.notFound, `There is no alarm ${name}. See ${commandFor('parley alarms --json')}.`);
  }
  const notifying = named.filter(({ actions }) => actions.length > 0);
  if (notifying.length === 0) {
    const none = name === undefined ? 'No alarm has an action' : `The alarm ${name} has no action`;
    throw new CliError(
      EXIT.refused,
      `${none}, so nobody is notified. Set alarmTopicArn to the ARN of an SNS topic and deploy again.`,
    );
  }
  // An alarm that is on would not start again.
  const chosen = notifying.find(({ isOn }) => isOn === false) ?? notifying.find(({ isOn }) => isOn === undefined);
  if (chosen) return chosen;
  const on = name === undefined ? 'Every alarm that has an action is on' : `The alarm ${name} is on`;
  throw new CliError(EXIT.refused, `${on}, so CloudWatch would not notify again. Test one that is off.`);
};

/** Whether every action was executed. That a topic accepted a notification does not show who is subscribed. */
export const testResult = (
  { alarm, actions }: Pick<AlarmReport, 'alarm' | 'actions'>,
  reported: readonly AlarmAction[],
): CommandResult => {
  const results = actions.map((resource) => {
    const own = reported.filter((action) => action.resource === resource);
    const action = own.find(({ error }) => error !== undefined) ?? own[0];
    const result = action === undefined ? 'unknown' : action.error === undefined ? 'executed' : 'failed';
    return { resource, result, at: action?.at, error: action?.error } as const;
  });
  const isExecuted = results.every(({ result }) => result === 'executed');
  return {
    lines: [
      ...results.flatMap(({ resource, result, at, error }) => {
        if (result === 'executed') return [`CloudWatch notified ${resource} at ${at}.`];
        if (result === 'unknown') return [`CloudWatch has not reported yet whether it notified ${resource}.`];
        return [`CloudWatch could not notify ${resource}: ${error}`, ACTION_REMEDY];
      }),
      `The alarm ${alarm} was set back to OK.`,
      ...(isExecuted ? ['Check that the notification arrived: CloudWatch does not know who is subscribed.'] : []),
    ],
    json: { alarm, actions: results },
    exitCode: isExecuted ? EXIT.done : EXIT.partial,
  };
};
