import type { CommandFor } from '../base/command.ts';
import { explainError } from '../base/errors.ts';
import { type AlarmReport, readAlarms } from '../operations/read-alarms.ts';
import { type AlarmsTarget, checkActions, checkNotified } from './doctor-alarm-actions.ts';
import type { Finding } from './finding.ts';

const check = 'alarms';

/** Names the alarms that are on, and checks that alarms notify somebody. */
export const checkAlarms = async (
  target: AlarmsTarget,
  commandFor: CommandFor,
  now: string,
): Promise<readonly Finding[]> => {
  const alarms = await readAlarms(target).catch((error: unknown) => explainError(error, target).message);
  if (typeof alarms === 'string') {
    const message = `The alarms could not be read. ${alarms}`;
    // A missing permission to read them is not a fault of the deployment.
    return [
      { check, grade: 'warning', message, remedy: 'Allow cloudwatch:DescribeAlarms; see docs/policies/operator.json.' },
    ];
  }
  return [
    describeStates(alarms, commandFor),
    ...checkNotified(target, alarms),
    ...(await checkActions(target, alarms, commandFor, now)),
  ];
};

const describeStates = (alarms: readonly AlarmReport[], commandFor: CommandFor): Finding => {
  const on = alarms.filter(({ isOn }) => isOn).map(({ alarm }) => alarm);
  if (on.length === 0) return { check, grade: 'ok', message: 'No alarm is on.' };
  return {
    check,
    grade: 'warning',
    message: `Alarms that are on: ${on.join(', ')}.`,
    remedy: `See ${commandFor('parley alarms')}, and docs/runbook.md for what to do.`,
  };
};
