import { randomUUID } from 'node:crypto';
import type { Carrier } from './carrier/carrier.ts';
import type { SandboxClock } from './clock.ts';
import { type Change, createState, type Moment, type ServiceState } from './service/state.ts';

/** The rules of `service/` with a clock, a source of ids and the carrier. */
export type RunningService = {
  readonly state: ServiceState;
  readonly carrier: Carrier;
  readonly clock: SandboxClock;
  /** Makes one change of the state and hands its events to the carrier; every change passes here. */
  apply<Result>(change: (state: ServiceState, moment: Moment) => Change<Result>): Result;
  /** A new service on the same clock, with nothing on its way. */
  reset(): Promise<void>;
};

export const createRunningService = (
  clock: SandboxClock,
  settings: Parameters<typeof createState>[0],
  newCarrier: () => Carrier,
): RunningService => {
  let state = createState(settings);
  let carrier = newCarrier();
  return {
    get state() {
      return state;
    },
    get carrier() {
      return carrier;
    },
    clock,
    apply: (change) => {
      const { result, events } = change(state, { now: clock.now(), newId: randomUUID });
      for (const event of events) carrier.publish(Buffer.from(JSON.stringify(event)));
      return result;
    },
    reset: async () => {
      const previous = carrier;
      state = createState(settings);
      carrier = newCarrier();
      await previous.close();
    },
  };
};
