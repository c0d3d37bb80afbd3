import { type Alarm, type AlarmState, evaluateAlarm } from './alarm.ts';
import { type MetricStore, MINUTE_MS } from './metric-store.ts';

/** An alarm, and its state since a time. */
export interface AlarmStatus {
  readonly alarm: Alarm;
  readonly state: AlarmState;
  /** When the state last changed. Until then, when the alarm was created. */
  readonly since: Date;
}

/** A change of an alarm's state. */
export interface AlarmChange {
  readonly alarm: string;
  readonly state: AlarmState;
  readonly at: Date;
}

/** The alarms of a run. */
export interface Alarms {
  add(alarm: Alarm): void;
  /** Returns the alarms in the order in which they were added. */
  all(): readonly AlarmStatus[];
  /** Returns the latest changes of the alarms' states, oldest first. */
  history(): readonly AlarmChange[];
  /** Adds what records the metrics of a minute that is not counted as it happens, such as the length of a queue. */
  onMinute(measure: (endOfMinute: number) => void): void;
  /** Evaluates the alarms for every minute that has ended since the last call. */
  catchUp(): void;
}

const MAX_CHANGES = 1_000;

/**
 * Longer than any clock moves at once in practice. After a longer move, only the last minutes are evaluated, so that it
 * does not take seconds.
 */
const MAX_MINUTES = 16 * 24 * 60;

export const createAlarms = (store: MetricStore, now: () => Date): Alarms => {
  const alarms: { alarm: Alarm; state: AlarmState; since: Date }[] = [];
  const changes: AlarmChange[] = [];
  const measures: ((endOfMinute: number) => void)[] = [];
  const lastMinute = (): number => Math.floor(now().getTime() / MINUTE_MS) * MINUTE_MS;
  let evaluatedAt = lastMinute();

  const evaluateAt = (minute: number): void => {
    for (const measure of measures) measure(minute);
    for (const status of alarms) {
      const state = evaluateAlarm(status.alarm, store, minute, status.state);
      if (state === status.state) continue;
      const at = new Date(minute);
      Object.assign(status, { state, since: at });
      changes.push({ alarm: status.alarm.name, state, at });
      if (changes.length > MAX_CHANGES) changes.shift();
    }
  };

  return {
    add(alarm) {
      alarms.push({ alarm, state: 'INSUFFICIENT_DATA', since: now() });
    },
    all: () => alarms.map((status) => ({ ...status })),
    history: () => [...changes],
    onMinute(measure) {
      measures.push(measure);
    },
    catchUp() {
      const until = lastMinute();
      evaluatedAt = Math.max(evaluatedAt, until - MAX_MINUTES * MINUTE_MS);
      while (evaluatedAt < until) {
        evaluatedAt += MINUTE_MS;
        evaluateAt(evaluatedAt);
      }
    },
  };
};
