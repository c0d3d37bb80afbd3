import { type AddressedRequest, namesAddress } from '../../../../lambdas/domain/addressed-request.ts';
import { parseInstant } from '../../../../lambdas/domain/instant.ts';
import type { Item } from '../../../../lambdas/table/item.ts';
import { type Part, partsOf } from '../../search/expected-parts.ts';
import { parseObject } from '../../world/parse-object.ts';
import { bodiesInPost, type WireEvent } from '../../world/translate-event.ts';
import type { StageFacts } from './stage-facts.ts';

/** An event from the chat service, or one that someone else posted. */
export interface EventFact {
  readonly eventId: string;
  readonly body: string;
  /** What happened, in the contract's own format. Undefined if the body is not a JSON object. */
  readonly source: WireEvent | undefined;
  readonly isAuthentic: boolean;
  readonly index: number;
  /** The earliest of its possible times. */
  readonly time: string;
  /** Its possible times. An event with neither its own time nor a publish time has that of one of its deliveries. */
  readonly times: readonly string[];
  /** Its contents; empty if it is not a known event. */
  readonly parts: readonly Part[];
}

const known = new WeakMap<StageFacts, readonly EventFact[]>();

export const eventsOf = (facts: StageFacts): readonly EventFact[] => {
  const found = known.get(facts) ?? readEvents(facts);
  known.set(facts, found);
  return found;
};

/** The ids of the events that were posted only once, and not acknowledged. Part of what they say may be stored. */
export const lostEventsOf = (facts: StageFacts): ReadonlySet<string> =>
  new Set(facts.entries('event-lost').map(({ eventId }) => eventId));

/** The ids of the messages that such events are about. */
export const lostMessagesOf = (facts: StageFacts): ReadonlySet<string | undefined> => {
  const lost = lostEventsOf(facts);
  return new Set(
    authenticEventsOf(facts).flatMap(({ eventId, parts }) => (lost.has(eventId) ? parts.map(({ id }) => id) : [])),
  );
};

export const authenticEventsOf = (facts: StageFacts): readonly EventFact[] =>
  eventsOf(facts).filter(({ isAuthentic }) => isAuthentic);

const readEvents = (facts: StageFacts): readonly EventFact[] => {
  const latestTimesOf = createLatestTimesOf(facts);
  return facts.entries('event').map(({ eventId, body, isUnauthenticated: isInvalid, index, atMs, ...entry }) => {
    const event = entry.source ?? parseObject(body);
    const publishedAt = new Date(atMs).toISOString();
    const own = parseInstant(event?.CREATION_TIME);
    const times = [...new Set(latestTimesOf(eventId, publishedAt).map((latest) => timeOf(own, latest)))].toSorted();
    return {
      eventId,
      body,
      source: event,
      isAuthentic: !isInvalid,
      index,
      time: times[0] ?? publishedAt,
      times,
      // Of an event without an id, nothing is known.
      parts: event === undefined ? [] : partsOfEvent(event, publishedAt).map((part) => ({ ...part, body })),
    };
  });
};

const partsOfEvent = (event: WireEvent, publishedAt: string): readonly Part[] =>
  event.type === 'event'
    ? [{ kind: 'unknown', id: '', content: [], isBesideStatus: false, time: publishedAt, body: '' }]
    : partsOf({ event, publishedAt });

/** Longer than a process takes to start. */
const MAX_START_MS = 500;

/** Creates a function that returns the latest times an event can have: its publish time, or its possible arrivals. */
const createLatestTimesOf = (facts: StageFacts): ((eventId: string, publishedAt: string) => readonly string[]) => {
  const { delivery, ingress } = facts.run.history.features;
  const { envelope = 'complete' } = delivery;
  if (envelope === 'complete') return (_, publishedAt) => [publishedAt];
  const starts = facts.entries('invoked').filter((entry) => entry.function === 'receive');
  const deliveries = Map.groupBy(facts.entries('delivery'), ({ eventId }) => eventId);
  // API Gateway notes when it received a post.
  if (ingress === 'buffered')
    return (eventId) => (deliveries.get(eventId) ?? []).map(({ atMs }) => new Date(atMs).toISOString());
  return (eventId) =>
    (deliveries.get(eventId) ?? []).flatMap((delivery) =>
      starts
        .filter(({ atMs }) => atMs >= delivery.atMs && atMs <= delivery.atMs + MAX_START_MS)
        .map(({ atMs }) => new Date(atMs).toISOString()),
    );
};

/** The effective time of an event: its own, unless that is later than the latest time that it can have. */
const timeOf = (ownTime: string | undefined, latest: string): string =>
  ownTime === undefined || ownTime > latest ? latest : ownTime;

/** The bodies of events that an item holds. */
export const bodiesIn = (item: Item | undefined): readonly string[] => {
  const { body, failedBody, statusBodies } = item ?? {};
  const members = statusBodies instanceof Set ? [...statusBodies] : [];
  return [body, failedBody, ...members].filter((text) => typeof text === 'string');
};

/** The events in a message of the inbound queue or its dead-letter queue, which keep the envelope of the delivery. */
export const eventsIn = (queueBody: string): readonly string[] => {
  const [, buffered] = /^\{"form":"buffered-1",.*,"body":"([^"]*)"\}$/s.exec(queueBody) ?? [];
  if (buffered !== undefined) return eventsInPost(Buffer.from(buffered, 'base64').toString());
  const enveloped = [...queueBody.matchAll(/"data":\s*"([A-Za-z0-9+/=]*)"/g)];
  if (enveloped.length > 0) {
    return enveloped.flatMap(([, data = '']) => bodiesInPost(Buffer.from(data, 'base64').toString()));
  }
  const [, encoding, bare] = /"encoding":"(json|utf8)","rawBody":(.*)}$/s.exec(queueBody) ?? [];
  if (bare === undefined) return [];
  return bodiesInPost(encoding === 'json' ? bare : String(JSON.parse(bare)));
};

const eventsInPost = (post: string): readonly string[] => {
  const data = /"data":"([A-Za-z0-9+/=]*)"/.exec(post)?.[1];
  return bodiesInPost(data === undefined ? post : Buffer.from(data, 'base64').toString());
};

/** Returns the bodies of the dead letters in the table. */
export const keptDeadLetters = (items: ReadonlyMap<string, Item>): readonly string[] => {
  const parts = new Map<string, Map<number, Buffer>>();
  for (const [name, { data }] of items) {
    const [, id, part] = /^DEADLETTER#(.*) PART#(\d+)$/.exec(name) ?? [];
    if (id === undefined || !isBytes(data)) continue;
    const found = parts.get(id) ?? new Map<number, Buffer>();
    parts.set(id, found.set(Number(part), Buffer.from(data)));
  }
  return [...parts.values()].map((found) =>
    Buffer.concat([...found].toSorted(([one], [other]) => one - other).map(([, data]) => data)).toString(),
  );
};

const isBytes = (data: unknown): data is Uint8Array => data instanceof Uint8Array;

/** The confirmations of opt-outs that `receive` put on the send queue. */
export const confirmationsIn = (facts: StageFacts): readonly (AddressedRequest & { readonly index: number })[] =>
  facts.entries('queued').flatMap(({ queue, body, index }) => {
    const request = queue === 'send' ? facts.requestIn(body) : undefined;
    if (request === undefined || !namesAddress(request)) return [];
    return request.confirmsOptOut && request.requestId.startsWith('opt-out-') ? [{ ...request, index }] : [];
  });
