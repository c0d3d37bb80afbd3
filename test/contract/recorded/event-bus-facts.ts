import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { CREDENTIALS, REGION } from '../../../local/base/aws-environment.ts';
import { startEventBridge } from '../../../local/emulators/event-bridge.ts';
import { createEventBuses } from '../../../local/emulators/event-buses.ts';
import { type RecordedFact, recording } from './recorded-fact.ts';

const events = (test: string): string => recording('events/test_events', `TestEvents::${test}`);

const VALID = { Source: 'source', DetailType: 'type', Detail: '{"message":"test"}' };

/** What PutEvents answers: how many entries fail, with which codes, or the code of the error. */
const put = async (...entries: readonly PutEventsRequestEntry[]): Promise<unknown> => {
  const buses = createEventBuses(
    () => new Date(),
    () => undefined,
  );
  buses.create('default');
  const server = await startEventBridge(buses);
  const client = new EventBridgeClient({ endpoint: server.url, region: REGION, credentials: CREDENTIALS });
  try {
    const { FailedEntryCount, Entries = [] } = await client.send(new PutEventsCommand({ Entries: [...entries] }));
    return { FailedEntryCount, codes: Entries.map(({ ErrorCode, EventId }) => ErrorCode ?? typeof EventId) };
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  } finally {
    client.destroy();
    await server.close();
  }
};

const refused = (test: string, name: string, entry: PutEventsRequestEntry, code: string): RecordedFact => ({
  name: `PutEvents: ${name} fails with ${code}`,
  source: events(test),
  observe: () => put(entry),
  expected: { FailedEntryCount: 1, codes: [code] },
});

const malformed = (test: string, Detail: string): RecordedFact =>
  refused(`test_put_event_malformed_detail[${test}]`, `the detail ${Detail}`, { ...VALID, Detail }, 'MalformedDetail');

/** What EventBridge did. */
export const EVENT_BUS_FACTS: readonly RecordedFact[] = [
  refused(
    'test_put_events_without_source',
    'an entry without a source',
    { ...VALID, Source: undefined },
    'InvalidArgument',
  ),
  refused(
    'test_put_event_without_detail',
    'an entry without a detail',
    { ...VALID, Detail: undefined },
    'InvalidArgument',
  ),
  refused(
    'test_put_event_without_detail_type',
    'an entry without a type',
    { ...VALID, DetailType: undefined },
    'InvalidArgument',
  ),
  malformed('STRING', 'NotJSON'),
  malformed('ARRAY', '[]'),
  malformed('MALFORMED_JSON', '{{}'),
  malformed('SERIALIZED_STRING', '"NotJSON"'),
  {
    name: 'PutEvents: more than ten entries are refused',
    source: events('test_put_events_exceed_limit_ten_entries[custom]'),
    observe: () => put(...Array.from({ length: 11 }, () => VALID)),
    expected: 'ValidationException',
  },
  {
    name: 'PutEvents: entries that are too large in total are refused',
    source: events('test_put_event_with_too_big_detail'),
    observe: () => put({ ...VALID, Detail: JSON.stringify({ payload: 'p'.repeat(1024 * 1024) }) }),
    expected: 'ValidationException',
  },
  {
    name: 'PutEvents: an entry for a bus that does not exist is accepted',
    source: recording('events/test_events', 'TestEventBus::test_put_events_nonexistent_event_bus'),
    observe: () => put(VALID, { ...VALID, EventBusName: 'missing' }),
    expected: { FailedEntryCount: 0, codes: ['string', 'string'] },
  },
];
