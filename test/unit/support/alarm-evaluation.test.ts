import { describe, expect, it } from 'vitest';
import { type AlarmState, type DataPoint, evaluate } from '../../support/alarm-evaluation.ts';

/** 0 is a data point that does not breach, X one that does, and - a missing one; the newest is last. */
const pointsOf = (row: string): readonly DataPoint[] =>
  row.split(' ').map((point) => (point === '-' ? undefined : point === 'X'));

const CURRENT: AlarmState = 'INSUFFICIENT_DATA';

// The tables of examples in https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
// The alarm's state stays the current one where a table says so.
describe('an alarm with missing data', () => {
  it.each([
    ['0 - X - X', 'OK', 'OK', 'OK'],
    ['0 - - - -', 'OK', 'OK', 'OK'],
    ['- - - - -', CURRENT, 'ALARM', 'OK'],
    ['0 X X - X', 'ALARM', 'ALARM', 'ALARM'],
    ['- - - - X', CURRENT, 'ALARM', 'OK'],
    ['X - - - -', CURRENT, 'ALARM', 'OK'],
  ])('that needs 3 of 3 data points, of which %s, is as AWS documents it', (row, ...states) => {
    const evaluated = (['ignore', 'breaching', 'notBreaching'] as const).map((TreatMissingData) =>
      evaluate({ EvaluationPeriods: 3, TreatMissingData }, pointsOf(row), CURRENT),
    );

    expect(evaluated).toEqual(states);
  });

  it.each([
    ['0 - X - X', 'ALARM', 'ALARM', 'ALARM'],
    ['0 0 X 0 X', 'ALARM', 'ALARM', 'ALARM'],
    ['0 - X - -', 'OK', 'ALARM', 'OK'],
    ['- - - - 0', 'OK', 'ALARM', 'OK'],
    ['- - - - X', CURRENT, 'ALARM', 'OK'],
  ])('that needs 2 of 3 data points, of which %s, is as AWS documents it', (row, ...states) => {
    const evaluated = (['ignore', 'breaching', 'notBreaching'] as const).map((TreatMissingData) =>
      evaluate({ EvaluationPeriods: 3, DatapointsToAlarm: 2, TreatMissingData }, pointsOf(row), CURRENT),
    );

    expect(evaluated).toEqual(states);
  });
});
