import { type AlarmAction, readActions } from './alarm-actions.ts';
import { type CloudWatchSource, callCloudWatch } from './call-cloudwatch.ts';
import type { AlarmReport } from './read-alarms.ts';

export interface AlarmTest {
  readonly source: CloudWatchSource;
  readonly alarm: Pick<AlarmReport, 'name' | 'actions'>;
  /** Who tests it and why, for the history and the notification. */
  readonly reason: string;
  /** Waits between two readings of the history. Returns whether to read again. */
  readonly pause: () => Promise<boolean>;
}

/** CloudWatch reports an action within seconds. */
const MAX_READINGS = 30;

/**
 * Sets an alarm to ALARM, waits until the history reports its actions, and sets it to OK. Returns the actions that the
 * history reported.
 *
 * CloudWatch sets the alarm to its actual state at the next evaluation, but an alarm without data can keep its state.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_SetAlarmState.html
 */
export const testAlarm = async ({ source, alarm, reason, pause }: AlarmTest): Promise<readonly AlarmAction[]> => {
  const set = (StateValue: 'ALARM' | 'OK') =>
    callCloudWatch(source, 'SetAlarmState', { AlarmName: alarm.name, StateValue, StateReason: reason });
  // Compared with CloudWatch's own time, because this machine's clock can differ.
  const [last] = await readActions(source, alarm.name);
  const readNew = async () => {
    const actions = await readActions(source, alarm.name);
    return actions.filter(({ at }) => last === undefined || at > last.at);
  };
  await set('ALARM');
  try {
    let reported = await readNew();
    for (let readings = 1; readings < MAX_READINGS; readings += 1) {
      if (alarm.actions.every((action) => reported.some(({ resource }) => resource === action))) break;
      if (!(await pause())) break;
      reported = await readNew();
    }
    return reported;
  } finally {
    await set('OK');
  }
};
