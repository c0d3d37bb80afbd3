import type { EventBridgeClient, EventEntry } from '../../../lambdas/adapters/eventbridge.ts';
import { type Failures, throwing } from './faults.ts';

/** An event that the bus accepted. */
export interface PublishedEvent {
  /** The ID from its detail. */
  readonly id: string;
  readonly detailType: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** An event bus that keeps what it accepted, oldest first. */
export interface SimulatedBus {
  readonly published: readonly PublishedEvent[];
  /** Accepts the entries, or only those at some indexes, and returns a result for each. */
  put(entries: readonly EventEntry[], accepts?: AcceptsEntry): readonly EntryResult[];
  /** Identifies the published events, in order. */
  key(): string;
}

/** Whether the bus accepts the entry at an index. */
export type AcceptsEntry = (index: number) => boolean;

const onlyFirst: AcceptsEntry = (index) => index === 0;

type EntryResult = { readonly EventId: string } | { readonly ErrorCode: string; readonly ErrorMessage: string };

export interface SimulatedBusOptions {
  /** Whether no retry of an event can succeed. @default none */
  readonly refuses?: (event: PublishedEvent) => boolean;
  readonly onPublish?: (event: PublishedEvent) => void;
}

export const createSimulatedBus = ({ refuses, onPublish }: SimulatedBusOptions = {}): SimulatedBus => {
  const published: PublishedEvent[] = [];
  let key = '';
  return {
    published,
    put: (entries, accepts = () => true) =>
      entries.map((entry, index): EntryResult => {
        const event = eventOf(entry);
        if (refuses?.(event)) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
        if (!accepts(index)) return { ErrorCode: 'ThrottlingException', ErrorMessage: 'Too many entries.' };
        published.push(event);
        key += `${event.detailType} ${event.id};`;
        onPublish?.(event);
        return { EventId: `event-${published.length}` };
      }),
    key: () => key,
  };
};

const eventOf = ({ DetailType, Detail }: EventEntry): PublishedEvent => {
  const detail: Readonly<Record<string, unknown>> = JSON.parse(Detail);
  return { id: String(detail.id), detailType: DetailType, detail };
};

/** Creates a client with which the real adapter reaches the simulated bus. */
export const createSimulatedEventBridgeClient = (
  bus: SimulatedBus,
  takeTurn: <Answer>(label: string, perform: () => Answer, failures: Failures<Answer>) => Promise<Answer>,
  acceptsPartOf: (count: number) => AcceptsEntry = () => onlyFirst,
): EventBridgeClient => ({
  putEvents(entries) {
    const perform = (accepts?: AcceptsEntry) => ({ Entries: [...bus.put(entries, accepts)] });
    const partial = entries.length > 1 ? { partial: () => perform(acceptsPartOf(entries.length)) } : {};
    return takeTurn(`publish ${entries.map(({ DetailType }) => DetailType).join(', ')}`, () => perform(), {
      ...throwing<ReturnType<typeof perform>>('The bus'),
      ...partial,
    });
  },
});
