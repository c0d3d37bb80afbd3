import { randomInt } from 'node:crypto';
import type { SandboxClock } from '../base/clock.ts';
import { createDelivery, type Delivery, type DeliveryOptions } from '../delivery/delivery.ts';
import { createSigningKeys, type SigningKeys } from '../delivery/signing-keys.ts';
import type { WebhookSettings } from '../delivery/subscription.ts';
import { webhookView } from '../delivery/views.ts';
import { getAccount } from '../service/account.ts';
import { type ActivityCounts, createActivityCounts } from '../service/activity-counts.ts';
import { type CallLog, createCallLog } from '../service/call-log.ts';
import { writeEvent } from '../service/event-formats/event-formats.ts';
import { createFaults, type Faults } from '../service/faults.ts';
import { createFeed, type Feed, publishStateChange } from '../service/feed.ts';
import {
  type Change,
  createState,
  type Moment,
  type ServiceState,
  type StateChange,
  type StateSettings,
} from '../service/state.ts';
import type { StoredService } from '../store/store.ts';
import { earlierEntries, recordDeliveries } from './delivery-entries.ts';

/** The service's state and rules, connected to a clock, the delivery of events, the feed, and the store. */
export interface RunningService {
  readonly state: ServiceState;
  readonly delivery: Delivery;
  readonly clock: SandboxClock;
  readonly feed: Feed;
  readonly callLog: CallLog;
  /** On this machine's clock, since the start or the last reset. */
  readonly counts: ActivityCounts;
  readonly faults: Faults;
  readonly keys: SigningKeys;
  readonly webhook: WebhookSettings | undefined;
  /** Applies a state change and publishes its events. Every change goes through here. */
  apply<Result>(change: (state: ServiceState, moment: Moment) => Change<Result>): Result;
  /** Moves the clock forward by `ms` milliseconds, and resolves once everything uses the new time. */
  advanceClock(ms: number): Promise<void>;
  setWebhook(webhook: WebhookSettings): void;
  /** Starts over with a new state and without events and faults, on the same clock and webhook. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export interface RunningServiceOptions {
  readonly clock: SandboxClock;
  readonly settings: StateSettings;
  readonly stored: StoredService;
  readonly delivery: Pick<DeliveryOptions, 'backoff' | 'timeoutMs' | 'origin'>;
}

/** Starts the service with what the store holds, or as new. */
export const createRunningService = (options: RunningServiceOptions): RunningService => {
  const { clock, stored } = options;
  const counts = createActivityCounts();
  const faults = createFaults();
  const keys = createSigningKeys({ stored: stored.keys.load(), save: stored.keys.put });
  const callLog = createCallLog(stored.calls.load(), (call, dropped) => {
    stored.calls.put(call);
    if (call.status === null || call.status >= 400) counts.add('failedCalls', new Date());
    if (dropped) stored.calls.delete(dropped);
    feed.publish('call', clock.now(), { call });
  });
  let webhook: WebhookSettings | undefined;

  const startDelivery = (restored: ReturnType<typeof stored.events.load>) =>
    createDelivery({
      ...options.delivery,
      ...recordDeliveries({
        events: stored.events,
        counts,
        publish: (type, fields) => feed.publish(type, clock.now(), fields),
      }),
      clock,
      keys,
      faults,
      webhook,
      restored,
    });

  const startState = () =>
    restoreState(options, (change, contactOf) => {
      if (change.collection === 'messages' && change.value !== undefined && change.previous === undefined) {
        counts.add(change.value.direction === 'in' ? 'received' : 'sent', new Date());
      }
      publishStateChange(feed, change, contactOf, clock.now());
    });

  let state = startState();
  const restored = stored.events.load();
  const earlier = earlierEntries(state, restored, callLog.calls());
  const feed = createFeed(clock.now().getTime(), undefined, earlier);
  let delivery = startDelivery(restored);
  return {
    get state() {
      return state;
    },
    get delivery() {
      return delivery;
    },
    get webhook() {
      return webhook;
    },
    clock,
    feed,
    callLog,
    counts,
    faults,
    keys,
    apply: (change) =>
      stored.transaction(() => {
        const { result, events } = change(state, { now: clock.now(), newId });
        const { eventFormat } = getAccount(state);
        for (const event of events) {
          delivery.publish(Buffer.from(JSON.stringify(writeEvent(eventFormat, state.chatPlatform, event))));
        }
        return result;
      }),
    advanceClock: async (ms) => {
      await clock.advance(ms);
      feed.publish('clock-moved', clock.now(), { now: clock.now().toISOString() });
      delivery.clockMoved();
    },
    setWebhook: (settings) => {
      webhook = settings;
      delivery.setWebhook(settings);
      feed.publish('webhook-changed', clock.now(), { webhook: webhookView(settings) });
    },
    reset: async () => {
      const previous = delivery;
      faults.clear();
      stored.transaction(() => {
        stored.state.clear();
        stored.events.clear();
        stored.calls.clear();
        callLog.clear();
      });
      state = startState();
      delivery = startDelivery(stored.events.load());
      counts.clear();
      feed.reset(clock.now());
      await previous.close();
    },
    close: async () => {
      faults.clear();
      await delivery.close();
    },
  };
};

type OnChange = (change: StateChange, contactOf: (key: string) => string) => void;

/** Creates a state from what the store holds, and stores each change from then on. */
const restoreState = ({ settings, clock, stored }: RunningServiceOptions, onChange: OnChange): ServiceState => {
  const state: ServiceState = createState(settings, clock.now(), (change) => {
    stored.state.put(change);
    onChange(change, (key) => state.users.get(key)?.contact ?? key);
  });
  stored.state.restore(state);
  return state;
};

const ID_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Returns an id as real services generate them: 20 characters. */
const newId = (): string => Array.from({ length: 20 }, () => ID_CHARACTERS[randomInt(ID_CHARACTERS.length)]).join('');
