import { randomUUID } from 'node:crypto';
import { type CallLog, createCallLog } from './calls/call-log.ts';
import type { Carrier, CarrierListeners, CarrierOptions } from './carrier/carrier.ts';
import { shownBody } from './carrier/carrier-message.ts';
import type { WebhookSettings } from './carrier/webhook-settings.ts';
import type { SandboxClock } from './clock.ts';
import { deliveryView, eventView, expiredView, webhookView } from './control/views.ts';
import { createFeed, type Feed } from './feed/feed.ts';
import { tellStateChange } from './feed/tell-state-change.ts';
import { type Change, createState, type Moment, type ServiceState, type StateSettings } from './service/state.ts';
import { createKeptEvents } from './store/kept-events.ts';
import { clearState, keepStateChange, restoreState } from './store/kept-state.ts';
import type { Store } from './store/store.ts';

/** The rules of `service/` with a clock, a source of ids, the carrier, and a memory of what happened. */
export type RunningService = {
  readonly state: ServiceState;
  readonly carrier: Carrier;
  readonly clock: SandboxClock;
  readonly feed: Feed;
  readonly callLog: CallLog;
  readonly webhook: WebhookSettings | undefined;
  /** Makes one change of the state and hands its events to the carrier; every change passes here. */
  apply<Result>(change: (state: ServiceState, moment: Moment) => Change<Result>): Result;
  /** Moves the clock ahead by `ms` milliseconds; resolves when all that follows happens at the new time. */
  advanceClock(ms: number): Promise<void>;
  setWebhook(webhook: WebhookSettings): void;
  /** A new service on the same clock, with nothing on its way. */
  reset(): Promise<void>;
};

export type ServiceParts = {
  clock: SandboxClock;
  settings: StateSettings;
  store: Store;
  newCarrier: (options: CarrierListeners & Pick<CarrierOptions, 'webhook' | 'kept'>) => Carrier;
};

export const createRunningService = ({ clock, settings, store, newCarrier }: ServiceParts): RunningService => {
  const feed = createFeed(clock.now().getTime());
  const callLog = createCallLog(store, clock, (call) => feed.tell('call', clock.now(), { call }));
  const keptEvents = createKeptEvents(store);
  let webhook: WebhookSettings | undefined;

  const startCarrier = () =>
    newCarrier({
      webhook,
      kept: keptEvents.load(),
      onPublish: (message) => {
        keptEvents.keepBody(message);
        feed.tell('event-published', clock.now(), {
          messageId: message.messageId,
          event: eventView(shownBody(message)),
        });
      },
      onAttempt: (attempt) => {
        keptEvents.keepAttempt(attempt);
        feed.tell('webhook-attempt', clock.now(), { delivery: deliveryView(attempt) });
      },
      onChange: keptEvents.keep,
      onForget: keptEvents.forget,
      onExpire: (message) => feed.tell('event-expired', clock.now(), expiredView(message)),
    });

  const startState = () => {
    const fresh: ServiceState = createState(settings, clock.now(), (change) => {
      keepStateChange(store, change);
      tellStateChange(feed, change, (key) => fresh.users.get(key)?.contact ?? key, clock.now());
    });
    restoreState(fresh, store);
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
    get webhook() {
      return webhook;
    },
    clock,
    feed,
    callLog,
    apply: (change) =>
      store.transaction(() => {
        const { result, events } = change(state, { now: clock.now(), newId: randomUUID });
        for (const event of events) carrier.publish(Buffer.from(JSON.stringify(event)));
        return result;
      }),
    advanceClock: async (ms) => {
      await clock.advance(ms);
      feed.tell('clock-moved', clock.now(), { now: clock.now().toISOString() });
      carrier.clockMoved();
    },
    setWebhook: (settings) => {
      webhook = settings;
      carrier.setWebhook(settings);
      feed.tell('webhook-changed', clock.now(), { webhook: webhookView(settings) });
    },
    reset: async () => {
      const previous = carrier;
      store.transaction(() => {
        clearState(state, store);
        keptEvents.clear();
        callLog.clear();
      });
      state = startState();
      carrier = startCarrier();
      feed.tell('reset', clock.now());
      await previous.close();
    },
  };
};
