import { marshall } from '@aws-sdk/util-dynamodb';
import { findEntries } from '../../../cli/import/read-history.ts';
import { createDynamodbContacts } from '../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbMessages } from '../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../../../lambdas/adapters/dynamodb/sends.ts';
import { ms } from '../../../lambdas/domain/duration.ts';
import { presentMedia, readEventContent } from '../../../lambdas/domain/event-content.ts';
import type { BusEvent } from '../../../lambdas/domain/events/event-details.ts';
import { itemEvents } from '../../../lambdas/domain/events/item-events.ts';
import { HISTORY_FORMATS } from '../../../lambdas/domain/history-formats/history-formats.ts';
import { parseHistory } from '../../../lambdas/domain/history-formats/parse-history.ts';
import { consentIn } from '../../../lambdas/domain/keywords/keywords.ts';
import { STATUS_TIMES } from '../../../lambdas/domain/message-status.ts';
import { WEBHOOK_FORMATS } from '../../../lambdas/domain/webhook-formats/formats.ts';
import { createReceiveEvents } from '../../../lambdas/receive/receive-events.ts';
import { createStoreEvents, type StoreResult } from '../../../lambdas/receive/store-events.ts';
import { readConsents } from '../../../lambdas/table/consent-item.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import { readItemChange } from '../../../lambdas/table/item-changes.ts';
import { echoKey, messageKey, parseContactName } from '../../../lambdas/table/keys.ts';
import { withGenerated } from '../../../lib/documents/markdown.ts';
import { keywordsOf } from '../../../lib/settings/keyword-settings.ts';
import { createSimulatedTable, createTableState, type ItemWrite, nameOf } from '../../simulation/world/table.ts';
import { PLAIN_RECEIVER } from '../../support/builders.ts';
import { silentLog, silentMetrics } from '../../support/telemetry.ts';
import { HISTORY_SAMPLES, WEBHOOK_SAMPLES, type WebhookSample } from '../../support/webhook-samples.ts';

/** After the samples' own times. */
const RECEIVED_AT = '2026-11-20T12:01:00.000Z';
const KEYWORDS = keywordsOf({ languages: ['es'], optOut: [], optIn: [] });

/** What became of one event of a sample. */
export interface SampleResult {
  readonly page: string;
  readonly title: string;
  /** `quarantined`, or as what it is stored. */
  readonly stored: string;
  /** Why it is quarantined. */
  readonly reason?: string;
  readonly id?: string;
  readonly contact?: string;
  /** Whether the stored time is the event's own or that of its arrival. */
  readonly time?: 'own' | 'arrival';
  readonly published: readonly string[];
  readonly opensWindow: boolean;
  readonly consent?: string;
}

/** Posts every sample to a stage with keywords, each to an empty table. */
export const runSamples = async (): Promise<readonly SampleResult[]> =>
  (await Promise.all(WEBHOOK_SAMPLES.map(runSample))).flat();

/** The function's use cases and repositories, with a table in memory. */
const runSample = async ({ page, title, body }: WebhookSample): Promise<readonly SampleResult[]> => {
  const writes: ItemWrite[] = [];
  const state = createTableState((write) => void writes.push(write));
  const table = createSimulatedTable(state, async (_label, perform) => perform());
  const storeEvents = createStoreEvents({
    ...PLAIN_RECEIVER,
    repositories: () => ({
      contacts: createDynamodbContacts(table, { readsHandovers: false }),
      messages: createDynamodbMessages(table, { gapClock: undefined }),
      sends: createDynamodbSends(table),
    }),
    clock: { now: () => RECEIVED_AT },
    budgetMs: ms(60_000),
    chatPlatform: 'whatsapp',
    windowPer: 'user',
    chatChannelNumber: '+5491100000000',
    keywords: KEYWORDS,
  });
  const results: StoreResult[] = [];
  const quarantined: string[] = [];
  const receiveEvents = createReceiveEvents({
    async storeEvents(request) {
      results.push(...(await storeEvents(request)));
      return results;
    },
    inboundQueue: {
      defer: () => Promise.reject(new Error(`The sample "${title}" was deferred.`)),
      async quarantine(_request, reason) {
        quarantined.push(reason);
        return { kind: 'written' };
      },
    },
    log: silentLog,
    metrics: silentMetrics,
  });
  await receiveEvents({ rawBody: Buffer.from(body), receivedAt: RECEIVED_AT });
  const published = writes.flatMap(publishedBy);
  return results.map((result): SampleResult => {
    const sample = { page, title };
    if (result.kind === 'stored') return { ...sample, ...describe(result, { state, writes, published }) };
    if (!quarantined.includes(result.reason))
      throw new Error(`The sample "${title}" is neither stored nor quarantined.`);
    return { ...sample, stored: 'quarantined', reason: result.reason, published: [], opensWindow: false };
  });
};

/** The events of a write, as the function `publish` reads them from the table's stream. */
const publishedBy = ({ before, after }: ItemWrite): readonly BusEvent[] => {
  const image = (item: Item) => marshall(item, { removeUndefinedValues: true });
  const ApproximateCreationDateTime = Date.parse(RECEIVED_AT) / 1000;
  const images = { ...(before && { OldImage: image(before) }), ...(after && { NewImage: image(after) }) };
  const change = readItemChange({ eventName: 'MODIFY', dynamodb: { ApproximateCreationDateTime, ...images } });
  return change === undefined ? [] : itemEvents(change);
};

interface Run {
  readonly state: ReturnType<typeof createTableState>;
  readonly writes: readonly ItemWrite[];
  readonly published: readonly BusEvent[];
}

const describe = ({ event, id }: Extract<StoreResult, { kind: 'stored' }>, { state, writes, published }: Run) => {
  const [message, echo] = [messageKey(id), echoKey(id)].map((key) => state.items.get(nameOf(key)));
  const item = echo ?? message ?? {};
  const times = ['createdAt', ...STATUS_TIMES]
    .map((name) => (message ?? item)[name])
    .filter((time) => time !== undefined);
  const other = [...(message?.otherStatuses instanceof Set ? message.otherStatuses : [])].join();
  const own = published.filter(({ detail }) => [Object(detail).messageId, Object(detail).eventId].includes(id));
  const sender = own.map(({ detail }) => Object(detail).sender).find((name) => name !== undefined);
  const consents = writes.flatMap(({ after }) => (after?.sk === 'CONSENT' ? readConsents(after) : []));
  const consent = consents.find(({ messageId }) => messageId === id)?.kind;
  return {
    stored: [event === 'echo' ? [] : [event], sender === undefined ? [] : [`echo (${sender})`]].flat().join(', '),
    id,
    contact: parseContactName(item.contact)?.key ?? String(item.contact),
    time: times.includes(RECEIVED_AT) || other.endsWith(RECEIVED_AT) ? ('arrival' as const) : ('own' as const),
    published: [
      ...own.map(({ name, detail }) =>
        [name, Object(detail).status ?? Object(detail).code ?? Object(detail).name].filter(Boolean).join(' '),
      ),
      ...(consent === undefined ? [] : published.map(({ name }) => name).filter((name) => /^ContactOpted/.test(name))),
    ].toSorted(),
    opensWindow: writes.some(({ after }) => after?.sk === 'CONTACT' && after.lastInboundId === id),
    ...(consent !== undefined && { consent }),
  };
};

const HEADER = ['sample', 'stored', 'ID', 'contact', 'time', 'window', 'consent', 'published'];
const HISTORY_HEADER = ['sample', 'read as', 'ID', 'contact', 'time', 'what'];

/** Returns docs/webhook-formats/README.md with the generated part replaced. */
export const sampleResultsPage = (page: string, results: readonly SampleResult[]): string => {
  const sections = [...WEBHOOK_FORMATS.map(({ name }) => name), 'README'].map((name) => {
    const title = name === 'README' ? 'Samples of this page' : `Samples of \`${name}\``;
    const ofPage = results.filter((result) => result.page === name);
    return `### ${title}\n\n\`\`\`text\n${aligned([HEADER, ...ofPage.map(rowOf)])}\n\`\`\`\n`;
  });
  return withGenerated(page, sections.join('\n'));
};

const rowOf = (result: SampleResult): readonly string[] => {
  const { title, stored, reason, id = '', contact = '', time = '', opensWindow, consent = '-', published } = result;
  if (reason !== undefined) return [title, `${stored}: ${reason}`];
  return [title, stored, id, contact, time, opensWindow ? 'opened' : '-', consent, published.join(', ')];
};

/** Returns docs/history-formats/README.md with the generated part replaced. */
export const historyResultsPage = (page: string): string => {
  const sections = HISTORY_FORMATS.map(({ name }) => {
    const ofPage = HISTORY_SAMPLES.filter((sample) => sample.page === name);
    return `### Samples of \`${name}\`\n\n\`\`\`text\n${aligned([HISTORY_HEADER, ...ofPage.flatMap(historyRows)])}\n\`\`\`\n`;
  });
  return withGenerated(page, sections.join('\n'));
};

/** What `parley import` reads from a sample: a file's only entry, or its page. */
export const readHistorySample = ({ page, body }: WebhookSample) =>
  findEntries(page, body).entries.flatMap(({ text }) =>
    parseHistory(text, { now: RECEIVED_AT, chatPlatform: 'whatsapp', windowPer: 'user' }),
  );

const historyRows = (sample: WebhookSample): readonly (readonly string[])[] =>
  readHistorySample(sample).map((parsed) => {
    if (parsed.kind === 'unreadable') return [sample.title, `unreadable: ${parsed.reason}`];
    const { event } = parsed;
    if (event.kind !== 'message' && event.kind !== 'echo') return [sample.title, event.kind, event.id];
    const consent = event.kind === 'message' ? consentIn(event, KEYWORDS)?.kind : undefined;
    const readAs = event.kind === 'message' ? 'message' : `echo (${event.sender})`;
    const { text, templateName, location, button, media } = readEventContent(event.body);
    const parts = {
      text,
      ...presentMedia(media),
      location: location?.name,
      button: button?.text,
      template: templateName,
    };
    const what = Object.entries({ ...parts, consent }).flatMap(([name, value]) => (value ? `${name} ${value}` : []));
    return [sample.title, readAs, event.id, event.contact?.key ?? '', event.time.at, what.join(', ')];
  });

const aligned = (rows: readonly (readonly string[])[]): string => {
  const header = rows[0] ?? [];
  const widths = header.map((_, column) =>
    Math.max(...rows.filter((row) => row.length === header.length).map((row) => row[column]?.length ?? 0)),
  );
  const width = Math.max(widths[0] ?? 0, ...rows.map(([title = '']) => title.length));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(column === 0 ? width : (widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
