import type { ContactDefaults } from '../../domain/contact.ts';
import { WriteRefusedError } from '../../domain/errors.ts';
import { IMPORT_FORMATS, parseHistory } from '../../domain/history-formats/parse-history.ts';
import type { Instant } from '../../domain/instant.ts';
import { elementsAt, memberAt } from '../../domain/json-spans.ts';
import type { ParsedEvent } from '../../domain/parse-events.ts';
import * as z from '../../domain/schema.ts';
import type { WebhookEvent } from '../../domain/webhook-event.ts';
import type { AuditRepository, GapRepository, StoredEvent, StoredEventReader } from '../../ports.ts';
import { forEachConcurrently } from '../../runtime/concurrency.ts';
import { createSeen, type Seen } from '../../runtime/customer-writes.ts';
import { type EventRepositories, type Meanings, writesOf } from '../../runtime/event-writes.ts';
import { invalidField, ok, problemResponse } from './answer.ts';
import { defineRoute, ignoredQuery } from './define-route.ts';

export interface ImportPorts extends EventRepositories, Pick<Meanings, 'clock'> {
  readonly storedEvents: StoredEventReader;
  readonly audit: Pick<AuditRepository, 'record'>;
  readonly gaps: Pick<GapRepository, 'close'>;
  /** Whether the stage lists messages of which only statuses have arrived. */
  readonly watches: boolean;
  readonly contactDefaults: ContactDefaults;
  /** What the stage's settings add to the meaning of an event, as for the function `receive`. */
  readonly eventMeanings: Pick<Meanings, 'keywords' | 'operatorEchoes'>;
}

export const MAX_IMPORT_ENTRIES = 100;
/** An entry can be a recorded post of the webhook, which can have several events. */
export const MAX_IMPORT_EVENTS = 200;
/** Lambda accepts 6 MB, as JSON in JSON. */
export const MAX_IMPORT_BYTES = 1024 * 1024;

export const IMPORT_RESULTS = ['stored', 'exists', 'wouldStore', 'unreadable'] as const;

export const importResponse = z.object({
  /** When the entries were imported, or would have been. */
  at: z.string(),
  /** One result for each event, in the order of the entries. */
  results: z.array(
    z.object({
      /** Which entry of the call has the event, counted from 0. */
      entry: z.int(),
      /** `unreadable`: it cannot be read, or the table can never accept it. */
      result: z.enum(IMPORT_RESULTS),
      /** Why it is unreadable. */
      reason: z.optional(z.string()),
      kind: z.optional(z.enum(['message', 'echo', 'status', 'unknown'])),
      messageId: z.optional(z.string()),
      /** The event's own time. */
      eventAt: z.optional(z.string()),
    }),
  ),
});

type ImportResult = z.output<typeof importResponse>['results'][number];

const importRequest = z.strictObject({
  /** Entries of the chat service's history, or recorded posts of the webhook, each as the service wrote it. */
  entries: z
    .array(z.record(z.string(), z.unknown(), 'must be a JSON object'), 'must be a list of entries')
    .check(
      z.minLength(1, 'must have at least one entry'),
      z.maxLength(MAX_IMPORT_ENTRIES, `must not have more than ${MAX_IMPORT_ENTRIES} entries`),
    ),
  /** The only format that the entries may have. @default that of each entry */
  format: z.optional(z.enum(IMPORT_FORMATS, `must be one of ${IMPORT_FORMATS.join(', ')}`)),
  /** Whether to store nothing, and only say what would be stored. @default false */
  dryRun: z.optional(z.boolean('must be true or false')),
});

/** An event of an entry, or why it cannot be read. */
interface EntryEvent {
  readonly entry: number;
  readonly parsed: ParsedEvent;
}

/** How many events are written at once. */
const CONCURRENT_EVENTS = 10;

/** Idempotent by the events' IDs: a repeated call completes what an earlier one did not store. */
export const importEvents = defineRoute({
  route: 'POST /v1/imports',
  summary: "Store what is missing from the chat service's history",
  description:
    'Each event is stored as if it had arrived on time: once, and with its own time, by which its window and its ' +
    'consent count. What an interrupted call or delivery left half stored is completed. An imported message starts no ' +
    'turn, and an imported opt-out is not confirmed. `MessageReceived`, `MessageEchoed`, and `WebhookEventUnknown` ' +
    'have `imported`; events about statuses and consents do not. An event without a time of its own is unreadable.',
  query: ignoredQuery,
  body: importRequest,
  responses: { 200: importResponse, 400: problemResponse },
  async handle(ports: ImportPorts, { body: { format, dryRun = false }, bodyText, caller }) {
    if (Buffer.byteLength(bodyText) > MAX_IMPORT_BYTES) return TOO_LARGE;
    const now = ports.clock.now();
    const { chatPlatform, chatChannelNumber: stageNumber, windowPer } = ports.contactDefaults;
    // Serialized again, the numbers and the repeated names of an entry could change.
    const entries = elementsAt(bodyText, memberAt(bodyText, 'entries')).flatMap((text, entry) =>
      parseHistory(text, { now, chatPlatform, windowPer, stageNumber, format }).map((parsed) => ({ entry, parsed })),
    );
    if (entries.length > MAX_IMPORT_EVENTS) return TOO_MANY;
    const events = entries.flatMap(({ parsed }) => (parsed.kind === 'event' ? [parsed.event] : []));
    const read = await ports.storedEvents.read(events);
    const stored = new Map(events.map((event, index) => [event, read[index] ?? 'missing']));
    if (!dryRun) await ports.audit.record({ action: 'import', details: countsOf(entries, stored), at: now, caller });
    const results = new Map<EntryEvent, ImportResult>();
    const seen = createSeen();
    await forEachConcurrently(CONCURRENT_EVENTS, entries, async (entryEvent) => {
      const { entry, parsed } = entryEvent;
      results.set(entryEvent, { entry, ...(await importOne(ports, parsed, { stored, seen, dryRun })) });
    });
    return ok({
      at: now,
      results: entries.flatMap((entryEvent) => results.get(entryEvent) ?? []),
    } satisfies z.output<typeof importResponse>);
  },
});

const TOO_LARGE = invalidField(
  'the body',
  `is larger than ${MAX_IMPORT_BYTES / 1024 / 1024} MiB; send fewer entries in each call`,
);
const TOO_MANY = invalidField(
  'entries',
  `have more than ${MAX_IMPORT_EVENTS} events in total; send fewer entries in each call`,
);

type Stored = ReadonlyMap<WebhookEvent, StoredEvent>;

const importOne = async (
  ports: ImportPorts,
  parsed: ParsedEvent,
  { stored, seen, dryRun }: { readonly stored: Stored; readonly seen: Seen; readonly dryRun: boolean },
): Promise<Omit<ImportResult, 'entry'>> => {
  if (parsed.kind === 'unreadable') return { result: 'unreadable', reason: parsed.reason };
  const { event } = parsed;
  const { kind, id: messageId, time } = event;
  const described = { kind, messageId, eventAt: time.at };
  const before = stored.get(event);
  // The history of a user cannot contain it, so it must not open a window.
  if (before === 'sent') return { ...described, result: 'unreadable', reason: SENT_BY_PARLEY };
  // Its window and its consent would be those of a contact that the delivered event does not name.
  if (before === 'delivered-for-another') return { ...described, result: 'exists' };
  // Also what is stored already: a delivery or an import can have been interrupted between the message and the rest.
  const refusal = dryRun ? undefined : await write(ports, event, seen);
  if (refusal !== undefined && before !== 'delivered') return { ...described, result: 'unreadable', reason: refusal };
  return { ...described, result: before !== 'missing' ? 'exists' : dryRun ? 'wouldStore' : 'stored' };
};

const SENT_BY_PARLEY = 'Its ID is that of a message that Parley sent itself.';

/** Returns why the table can never accept the event, if it cannot. */
const write = async (ports: ImportPorts, event: WebhookEvent, seen: Seen): Promise<string | undefined> => {
  const meanings = { clock: ports.clock, turns: false, ...ports.eventMeanings };
  const writes = await Promise.allSettled(writesOf(event, meanings, seen).map(async (each) => each(ports)));
  const errors = writes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  const failure = errors.find((error) => !(error instanceof WriteRefusedError));
  // A repeated call completes the rest.
  if (failure !== undefined) throw failure;
  // A user's message leaves the list with its own write. The statuses of an echo are in another item.
  if (ports.watches && event.kind === 'echo') await ports.gaps.close(event.id, ports.clock.now());
  return errors[0]?.message;
};

/** Counts what the import is about to do. The audit trail says nothing else of it, because it concerns many contacts. */
const countsOf = (entries: readonly EntryEvent[], stored: Stored) => {
  const times: readonly Instant[] = [...stored.keys()].map(({ time }) => time.at).toSorted();
  const missing = [...stored.values()].filter((each) => each === 'missing').length;
  return {
    events: entries.length,
    missing,
    existing: stored.size - missing,
    unreadable: entries.length - stored.size,
    earliest: times.at(0),
    latest: times.at(-1),
  };
};
