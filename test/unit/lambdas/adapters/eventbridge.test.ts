import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createEventBridgeBus,
  createEventBridgeClient,
  type EventBridgeClient,
  type EventEntry,
} from '../../../../lambdas/adapters/eventbridge.ts';
import type { SerializedEvent } from '../../../../lambdas/domain/events/serialize-event.ts';
import type { EventBus } from '../../../../lambdas/ports.ts';
import type { ListeningServer } from '../../../../local/base/listen-locally.ts';
import { awsError, startAwsJsonServer } from '../../../../local/emulators/aws-json-server.ts';
import { startEventBridge } from '../../../../local/emulators/event-bridge.ts';
import { createEventBuses, type EventBuses } from '../../../../local/emulators/event-buses.ts';

let buses: EventBuses;
let server: ListeningServer;
let bus: EventBus;

beforeAll(async () => {
  buses = createEventBuses(
    () => new Date(),
    () => undefined,
  );
  buses.create('bus');
  server = await startEventBridge(buses);
  bus = createEventBridgeBus(clientOf(server.url), 'bus');
});
afterAll(() => server.close());
beforeEach(() => buses.setFault(undefined));

const clientOf = (endpoint: string): EventBridgeClient =>
  createEventBridgeClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
    requestHandler: {},
  });

const event = (id: number, detail = JSON.stringify({ id })): SerializedEvent => ({
  id: String(id),
  name: 'MessageRead',
  at: '2026-11-20T11:00:00.000Z',
  detail,
});
const many = (count: number) => Array.from({ length: count }, (_, id) => event(id));

/** Returns a client that fails a call with the error that `fail` returns for it. */
const clientWith = (fail: (entries: readonly EventEntry[]) => Error | undefined): EventBridgeClient => ({
  async putEvents(entries) {
    const error = fail(entries);
    if (error) throw error;
    return { Entries: entries.map((_entry, index) => ({ EventId: String(index) })) };
  },
});

describe('the EventBridge bus', () => {
  it('publishes any number of events, with Parley as their source and their own time', async () => {
    const results = await bus.publish(many(23));

    expect(results).toEqual(many(23).map(() => ({ kind: 'published' })));
    const published = buses.events('bus');
    expect(new Set(published.map(({ detail }) => JSON.stringify(detail))).size).toBe(23);
    expect(published[0]).toMatchObject({
      source: 'parley',
      'detail-type': 'MessageRead',
      time: '2026-11-20T11:00:00Z',
    });
  });

  it('returns one result for each event', async () => {
    buses.setFault(({ Detail }) =>
      Detail === '{"id":11}' ? { errorCode: 'ThrottlingException', message: 'Rate exceeded' } : undefined,
    );

    const results = await bus.publish([...many(12), event(12, '{')]);

    expect(results.slice(0, 11).every(({ kind }) => kind === 'published')).toBe(true);
    expect(results.slice(11)).toEqual([
      { kind: 'failed', code: 'ThrottlingException', reason: 'ThrottlingException' },
      { kind: 'refused', code: 'MalformedDetail', reason: 'MalformedDetail' },
    ]);
  });

  it('returns failed for every event when EventBridge is unreachable', async () => {
    const results = await createEventBridgeBus(clientOf('http://127.0.0.1:1'), 'bus').publish(many(11));

    const reason = expect.stringContaining('ECONNREFUSED');
    expect(results).toEqual(many(11).map(() => ({ kind: 'failed', code: 'ECONNREFUSED', reason })));
  });

  it('returns the error code for every event when the whole call is refused', async () => {
    const denying = await startAwsJsonServer('application/x-amz-json-1.1', () =>
      awsError('AccessDeniedException', 'User is not authorized to perform: events:PutEvents'),
    );
    const results = await createEventBridgeBus(clientOf(denying.url), 'bus').publish(many(2));

    const reason = 'AccessDeniedException, HTTP 400, events:PutEvents';
    expect(results).toEqual(many(2).map(() => ({ kind: 'failed', code: 'AccessDeniedException', reason })));
    await denying.close();
  });

  const refusing = (code: string) =>
    createEventBridgeBus(
      clientWith((entries) => {
        if (!entries.some(({ Detail }) => Detail === '{"id":3}')) return undefined;
        return Object.assign(new Error('An entry is invalid.'), { name: code });
      }),
      'bus',
    );

  it.each(['ValidationException', 'SerializationException', 'RequestEntityTooLargeException'])(
    'refuses only the event that makes EventBridge refuse a whole call with %s, and publishes all others',
    async (code) => {
      const results = await refusing(code).publish(many(12));

      const { 3: refused, ...others } = results;
      expect(refused).toEqual({ kind: 'refused', code, reason: `${code}` });
      expect(Object.values(others)).toEqual(Array.from({ length: 11 }, () => ({ kind: 'published' })));
    },
  );

  it('returns failed for the events of a call that fails for another reason, which a retry may resolve', async () => {
    const results = await refusing('AccessDeniedException').publish(many(12));

    expect(results.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: 10 }, () => 'failed'),
      'published',
      'published',
    ]);
  });
});
