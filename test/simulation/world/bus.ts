import {
  type EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
  EventBridgeClient as SdkClient,
} from '@aws-sdk/client-eventbridge';
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
  put(entries: readonly PutEventsRequestEntry[], accepts?: AcceptsEntry): readonly EntryResult[];
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

const eventOf = ({ DetailType = '', Detail = '{}' }: PutEventsRequestEntry): PublishedEvent => {
  const detail: Readonly<Record<string, unknown>> = JSON.parse(Detail);
  return { id: String(detail.id), detailType: DetailType, detail };
};

const SDK_CLIENT = new SdkClient({
  region: 'us-east-1',
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
});

/** Creates a client with which the real adapter reaches the simulated bus. */
export const createSimulatedEventBridgeClient = (
  bus: SimulatedBus,
  takeTurn: <Answer>(label: string, perform: () => Answer, failures: Failures<Answer>) => Promise<Answer>,
  acceptsPartOf: (count: number) => AcceptsEntry = () => onlyFirst,
): EventBridgeClient => {
  const send = (command: unknown): Promise<unknown> => {
    if (!(command instanceof PutEventsCommand)) throw new Error('The simulated bus does not know this command.');
    const { Entries = [] } = command.input;
    const perform = (accepts?: AcceptsEntry) => ({ Entries: bus.put(Entries, accepts) });
    const partial = Entries.length > 1 ? { partial: () => perform(acceptsPartOf(Entries.length)) } : {};
    return takeTurn(`publish ${Entries.map(({ DetailType }) => DetailType).join(', ')}`, () => perform(), {
      ...throwing<ReturnType<typeof perform>>('The bus'),
      ...partial,
    });
  };
  return Object.create(SDK_CLIENT, { send: { value: send } });
};
