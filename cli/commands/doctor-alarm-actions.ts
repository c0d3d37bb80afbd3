import { type CommandFor, count } from '../base/command.ts';
import { explainError } from '../base/errors.ts';
import type { Target } from '../base/target.ts';
import { ACTION_REMEDY, type AlarmAction, readActions } from '../operations/alarm-actions.ts';
import type { AlarmReport, AlarmsSource } from '../operations/read-alarms.ts';
import type { Finding } from './finding.ts';

const check = 'alarms';

/** The properties of the target that the checks of alarms need. */
export type AlarmsTarget = Pick<Target, 'name' | 'isLocal' | 'isProtected'> & AlarmsSource;

/** Checks that a production stage's alarms notify somebody. */
export const checkNotified = (
  { isProtected }: Pick<Target, 'isProtected'>,
  alarms: readonly AlarmReport[],
): readonly Finding[] => {
  const silent = alarms.filter(({ actions }) => actions.length === 0);
  if (!isProtected || silent.length === 0) return [];
  const names = silent.length === alarms.length ? '' : `: ${silent.map(({ alarm }) => alarm).join(', ')}`;
  return [
    {
      check,
      grade: 'warning',
      message: `Nobody is notified of ${silent.length} of ${count(alarms.length, 'alarm')}, which have no action${names}.`,
      remedy: 'Set alarmTopicArn to the ARN of an SNS topic and deploy again. See docs/operating.md.',
    },
  ];
};

const DAYS = 7;

/** Checks whether CloudWatch could notify what the alarms name, the last time that one started or ended. */
export const checkActions = async (
  target: AlarmsTarget,
  alarms: readonly AlarmReport[],
  commandFor: CommandFor,
  now: string,
): Promise<readonly Finding[]> => {
  const since = new Date(Date.parse(now) - DAYS * 24 * 60 * 60 * 1000).toISOString();
  const latest = new Map<string, AlarmAction & { readonly alarm: string }>();
  try {
    // One after the other, because CloudWatch throttles the operation.
    for (const { alarm, name, actions } of alarms) {
      const found = actions.length === 0 ? [] : await readActions(target, name, since);
      for (const action of found) {
        const other = latest.get(action.resource);
        if (other === undefined || action.at > other.at) latest.set(action.resource, { ...action, alarm });
      }
    }
  } catch (error) {
    const message = `Whether alarms could notify anyone is unknown. ${explainError(error, target).message}`;
    const remedy = 'Allow cloudwatch:DescribeAlarmHistory; see docs/policies/operator.json.';
    return [{ check, grade: 'warning', message, remedy }];
  }
  const test = commandFor('parley alarms test');
  return [...new Set(alarms.flatMap(({ actions }) => actions))].map((resource): Finding => {
    const last = latest.get(resource);
    if (last === undefined) {
      return {
        check,
        grade: 'ok',
        message: `No alarm notified ${resource} in the last ${DAYS} days. To test it: ${test}`,
      };
    }
    if (last.error === undefined) {
      return { check, grade: 'ok', message: `CloudWatch last notified ${resource} at ${last.at}, of ${last.alarm}.` };
    }
    return {
      check,
      grade: 'failing',
      message: `CloudWatch could not notify ${resource} of ${last.alarm} at ${last.at}: ${last.error}`,
      remedy: `${ACTION_REMEDY} Then run ${test}.`,
    };
  });
};
