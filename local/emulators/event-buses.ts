import { randomUUID } from 'node:crypto';
import { ACCOUNT_ID, arnOf, REGION } from '../base/aws-environment.ts';
import { isObject, parseJson } from '../base/json.ts';
import { messageOf } from '../base/local-error.ts';
import type { MatchesEvent } from './event-pattern.ts';
import { type DeadLetterEvent, type DeliverEvent, TargetError } from './event-targets.ts';

/** An entry of a PutEvents request. */
export interface PutEntry {
  readonly Source: string;
  readonly DetailType: string;
  /** JSON. */
  readonly Detail: string;
  /** Seconds since the epoch. */
  readonly Time?: number | undefined;
  readonly Resources?: readonly string[] | undefined;
  readonly EventBusName?: string | undefined;
}

/**
 * An event as rules match it and targets receive it.
 *
 * Source: https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html
 */
export interface BusEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: unknown;
}

/** A rule's target. */
export interface BusTarget {
  /** The name of the target in warnings. */
  readonly name: string;
  readonly deliver: DeliverEvent;
  /** Sends an undeliverable event to the target's dead-letter queue. Undefined if it has none. */
  readonly deadLetter: DeadLetterEvent | undefined;
}

export interface BusRule {
  readonly matches: MatchesEvent;
  readonly targets: readonly BusTarget[];
}

/** The result of an entry: the event's id, or the error code of PutEvents. */
export type PutEntryResult = { readonly eventId: string } | { readonly errorCode: string; readonly message: string };

/** How an entry fails. */
export interface EntryFault {
  readonly errorCode: string;
  readonly message: string;
  /** Whether the bus accepts the event anyway, so that a retry publishes it twice. @default false */
  readonly accepted?: boolean;
}

/** Returns how an entry fails, or undefined if it succeeds. */
export type BusFault = (entry: PutEntry) => EntryFault | undefined;

/** The event buses of a run, in memory. */
export interface EventBuses {
  /** Creates a bus. Returns its ARN. */
  create(name: string): string;
  has(nameOrArn: string): boolean;
  addRule(busNameOrArn: string, rule: BusRule): void;
  put(entry: PutEntry): PutEntryResult;
  /** Returns a bus's latest events, oldest first, whether or not a rule matched them. Returns none if there is no bus. */
  events(busNameOrArn: string | undefined): readonly BusEvent[];
  /** Returns when the bus received an event. Its `time` has only seconds, and is whatever the publisher says. */
  receivedAt(event: BusEvent): Date | undefined;
  /** Makes entries fail from now on. Pass undefined to stop that. */
  setFault(fault: BusFault | undefined): void;
  /** Resolves when all deliveries so far have succeeded or finally failed. */
  delivered(): Promise<void>;
}

/** How many events a bus keeps. */
const MAX_EVENTS = 2_000;
const MAX_RETRIES = 2;

interface Bus {
  readonly name: string;
  readonly arn: string;
  readonly rules: BusRule[];
  readonly events: BusEvent[];
}

/** @param warn Receives a message about each event that a target did not accept. */
export const createEventBuses = (now: () => Date, warn: (message: string) => void): EventBuses => {
  const buses: Bus[] = [];
  const deliveries = new Map<BusTarget, Promise<void>>();
  const receipts = new WeakMap<BusEvent, Date>();
  let fault: BusFault | undefined;

  const find = (nameOrArn: string | undefined): Bus | undefined =>
    buses.find(({ name, arn }) => nameOrArn === name || nameOrArn === arn);

  const enqueue = (target: BusTarget, event: string): void => {
    // Unlike EventBridge, the local run delivers events in order, because an ordered trace is easier to read.
    const previous = deliveries.get(target) ?? Promise.resolve();
    deliveries.set(
      target,
      previous.then(() => deliver(target, event, warn)),
    );
  };

  return {
    create(name) {
      const arn = arnOf('events', `event-bus/${name}`);
      buses.push({ name, arn, rules: [], events: [] });
      return arn;
    },
    has: (nameOrArn) => find(nameOrArn) !== undefined,
    addRule(nameOrArn, rule) {
      find(nameOrArn)?.rules.push(rule);
    },
    put(entry) {
      const invalid = validate(entry);
      if (invalid) return invalid;
      const injected = fault?.(entry);
      if (injected && !injected.accepted) return injected;
      const event = toBusEvent(entry, now());
      const bus = find(entry.EventBusName ?? 'default');
      // Like EventBridge, accepts events for a bus that does not exist, and drops them.
      if (!bus) return { eventId: event.id };
      bus.events.push(event);
      receipts.set(event, now());
      if (bus.events.length > MAX_EVENTS) bus.events.shift();
      for (const { matches, targets } of bus.rules) {
        if (matches(event)) for (const target of targets) enqueue(target, JSON.stringify(event));
      }
      return injected ?? { eventId: event.id };
    },
    events: (nameOrArn) => [...(find(nameOrArn)?.events ?? [])],
    receivedAt: (event) => receipts.get(event),
    setFault(next) {
      fault = next;
    },
    async delivered() {
      await Promise.all(deliveries.values());
    },
  };
};

const deliver = async (target: BusTarget, event: string, warn: (message: string) => void): Promise<void> => {
  let error: unknown;
  let retries = -1;
  do {
    retries += 1;
    try {
      return await target.deliver(event);
    } catch (thrown) {
      error = thrown;
    }
  } while (retries < MAX_RETRIES && !(error instanceof TargetError && !error.isRetried));
  warn(`An event could not be delivered to ${target.name}: ${messageOf(error)}`);
  await target.deadLetter?.(event, { error, retries }).catch((failure: unknown) => {
    warn(`The event could not be sent to the target's dead-letter queue either: ${messageOf(failure)}`);
  });
};

const validate = ({ Source, DetailType, Detail }: PutEntry): EntryFault | undefined => {
  if (!Source || !DetailType || !Detail) {
    return { errorCode: 'InvalidArgument', message: 'Parameter Source, DetailType and Detail must be specified.' };
  }
  return isObject(parseJson(Detail)) ? undefined : { errorCode: 'MalformedDetail', message: 'Detail is malformed.' };
};

const toBusEvent = (entry: PutEntry, now: Date): BusEvent => ({
  version: '0',
  id: randomUUID(),
  'detail-type': entry.DetailType,
  source: entry.Source,
  account: ACCOUNT_ID,
  time: (entry.Time === undefined ? now : new Date(entry.Time * 1000)).toISOString().replace(/\.\d{3}Z$/, 'Z'),
  region: REGION,
  resources: entry.Resources ?? [],
  detail: JSON.parse(entry.Detail),
});
