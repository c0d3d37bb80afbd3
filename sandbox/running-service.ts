import { randomUUID } from 'node:crypto';
import { type CallLog, createCallLog } from './calls/call-log.ts';
import type { Carrier, CarrierOptions } from './carrier/carrier.ts';
import type { SandboxClock } from './clock.ts';
import { deliveryView, eventView } from './control/views.ts';
import { createFeed, type Feed } from './feed/feed.ts';
import { tellStateChange } from './feed/tell-state-change.ts';
import {
  type Change,
  createState,
  type Moment,
  type ServiceState,
  type StateChange,
  type StateSettings,
} from './service/state.ts';

/** The rules of `service/` with a clock, a source of ids, the carrier, and a memory of what happened. */
export type RunningService = {
  readonly state: ServiceState;
  readonly carrier: Carrier;
  readonly clock: SandboxClock;
  readonly feed: Feed;
  readonly callLog: CallLog;
  /** Makes one change of the state and hands its events to the carrier; every change passes here. */
  apply<Result>(change: (state: ServiceState, moment: Moment) => Change<Result>): Result;
  /** Moves the clock ahead by `ms` milliseconds. */
  advanceClock(ms: number): void;
  /** A new service on the same clock, with nothing on its way. */
  reset(): Promise<void>;
};

export const createRunningService = (
  clock: SandboxClock,
  settings: StateSettings,
  newCarrier: (options: Pick<CarrierOptions, 'onPublish' | 'onAttempt'>) => Carrier,
): RunningService => {
  const feed = createFeed(clock.now().getTime());
  const callLog = createCallLog(
    () => clock.now(),
    (call) => feed.tell('call', clock.now(), { call }),
  );
  const startCarrier = () =>
    newCarrier({
      onPublish: ({ messageId, body }) =>
        feed.tell('event-published', clock.now(), { messageId, event: eventView(body) }),
      onAttempt: (attempt) => feed.tell('webhook-attempt', clock.now(), { delivery: deliveryView(attempt) }),
    });
  const startState = () => {
    const fresh: ServiceState = createState(settings, clock.now(), (change: StateChange) =>
      tellStateChange(feed, change, (key) => fresh.users.get(key)?.contact ?? key, clock.now()),
    );
    return fresh;
  };
  let state = startState();
  let carrier = startCarrier();
  return {
    get state() {
      return state;
    },
    get carrier() {
      return carrier;
    },
    clock,
    feed,
    callLog,
    apply: (change) => {
      const { result, events } = change(state, { now: clock.now(), newId: randomUUID });
      for (const event of events) carrier.publish(Buffer.from(JSON.stringify(event)));
      return result;
    },
    advanceClock: (ms) => {
      clock.advance(ms);
      feed.tell('clock-moved', clock.now(), { now: clock.now().toISOString() });
    },
    reset: async () => {
      const previous = carrier;
      state = startState();
      carrier = startCarrier();
      callLog.clear();
      feed.tell('reset', clock.now());
      await previous.close();
    },
  };
};
