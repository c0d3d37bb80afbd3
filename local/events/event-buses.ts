import { randomUUID } from 'node:crypto';
import { ACCOUNT_ID, REGION } from '../aws-variables.ts';
import { messageOf } from '../local-error.ts';
import type { MatchesEvent } from './event-pattern.ts';

/** An entry of PutEvents, as it came. */
export interface PutEntry {
  readonly Source: string;
  readonly DetailType: string;
  /** JSON text. */
  readonly Detail: string;
  readonly Time?: number | undefined;
  readonly Resources?: readonly string[] | undefined;
  readonly EventBusName?: string | undefined;
}

/**
 * An event as rules see it and targets get it.
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

/** A rule's target: it takes the event's JSON, or throws. */
export interface BusTarget {
  readonly name: string;
  readonly deliver: (event: string) => Promise<void>;
  /** Where an event goes that was not taken. */
  readonly giveUp: ((event: string, reason: string) => Promise<void>) | undefined;
}

export interface BusRule {
  readonly matches: MatchesEvent;
  readonly targets: readonly BusTarget[];
}

/** What became of an entry: the event's id, or the error code that PutEvents answers with. */
export type PutEntryResult = { readonly eventId: string } | { readonly errorCode: string; readonly message: string };

/** How an entry is made to fail; one that was taken all the same is heard twice once it is put again. */
export interface EntryFault {
  readonly errorCode: string;
  readonly message: string;
  readonly taken?: boolean;
}

/** Decides, entry by entry, which ones fail and how; for tests and for the console. */
export type BusFault = (entry: PutEntry) => EntryFault | undefined;

/** The event buses of a run, in memory. */
export interface EventBuses {
  /** Makes a bus; returns its ARN. */
  create(name: string): string;
  has(nameOrArn: string): boolean;
  addRule(busNameOrArn: string, rule: BusRule): void;
  put(entry: PutEntry): PutEntryResult;
  /** A bus's last events, oldest first, whoever may have wanted them. */
  events(busNameOrArn: string): readonly BusEvent[];
  /** From now on, entries fail as this says; undefined for none. */
  setFault(fault: BusFault | undefined): void;
  /** Settles once every target has what it is to have. */
  settled(): Promise<void>;
}

/** How many events a bus remembers. */
const REMEMBERED = 2_000;
const DELIVERY_ATTEMPTS = 3;

interface Bus {
  readonly name: string;
  readonly arn: string;
  readonly rules: BusRule[];
  readonly events: BusEvent[];
}

/** @param warn told of an event that a target did not take. */
export const createEventBuses = (now: () => Date, warn: (message: string) => void): EventBuses => {
  const buses: Bus[] = [];
  const deliveries = new Map<BusTarget, Promise<void>>();
  let fault: BusFault | undefined;

  const find = (nameOrArn: string): Bus | undefined =>
    buses.find(({ name, arn }) => nameOrArn === name || nameOrArn === arn);

  const deliver = (target: BusTarget, event: string): void => {
    // One after another: EventBridge keeps no order, but a trace that does is easier to read.
    const before = deliveries.get(target) ?? Promise.resolve();
    deliveries.set(
      target,
      before.then(() => deliverTo(target, event, warn)),
    );
  };

  return {
    create(name) {
      const arn = `arn:aws:events:${REGION}:${ACCOUNT_ID}:event-bus/${name}`;
      buses.push({ name, arn, rules: [], events: [] });
      return arn;
    },
    has: (nameOrArn) => find(nameOrArn) !== undefined,
    addRule(nameOrArn, rule) {
      find(nameOrArn)?.rules.push(rule);
    },
    put(entry) {
      const refused = entryFault(entry);
      if (refused) return refused;
      const injected = fault?.(entry);
      if (injected && !injected.taken) return injected;
      const event = busEvent(entry, now());
      const bus = find(entry.EventBusName ?? 'default');
      // As EventBridge does: an event for a bus that is not there is taken, and lost.
      if (!bus) return { eventId: event.id };
      bus.events.push(event);
      if (bus.events.length > REMEMBERED) bus.events.shift();
      for (const { matches, targets } of bus.rules) {
        if (matches(event)) for (const target of targets) deliver(target, JSON.stringify(event));
      }
      return injected ?? { eventId: event.id };
    },
    events: (nameOrArn) => [...(find(nameOrArn)?.events ?? [])],
    setFault(next) {
      fault = next;
    },
    async settled() {
      await Promise.all(deliveries.values());
    },
  };
};

const deliverTo = async (target: BusTarget, event: string, warn: (message: string) => void): Promise<void> => {
  let reason = '';
  for (let attempt = 1; attempt <= DELIVERY_ATTEMPTS; attempt += 1) {
    try {
      return await target.deliver(event);
    } catch (error) {
      reason = messageOf(error);
    }
  }
  warn(`An event was not taken by ${target.name}: ${reason}`);
  await target.giveUp?.(event, reason).catch((error: unknown) => {
    warn(`… nor by its dead-letter queue: ${messageOf(error)}`);
  });
};

const entryFault = ({ Source, DetailType, Detail }: PutEntry) => {
  if (!Source || !DetailType || !Detail) {
    return { errorCode: 'InvalidArgument', message: 'Parameter Source, DetailType and Detail must be specified.' };
  }
  return parsesToObject(Detail) ? undefined : { errorCode: 'MalformedDetail', message: 'Detail is malformed.' };
};

const parsesToObject = (json: string): boolean => {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
};

const busEvent = (entry: PutEntry, now: Date): BusEvent => ({
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
