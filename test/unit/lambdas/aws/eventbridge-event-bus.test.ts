import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEventbridgeEventBus } from '../../../../lambdas/aws/eventbridge-event-bus.ts';
import type { WrittenEvent } from '../../../../lambdas/domain/telling/written-event.ts';
import type { EventBus } from '../../../../lambdas/ports.ts';
import { startEventBridge } from '../../../../local/emulators/event-bridge.ts';
import { createEventBuses, type EventBuses } from '../../../../local/emulators/event-buses.ts';
import type { ListeningServer } from '../../../../local/listen-locally.ts';

let buses: EventBuses;
let server: ListeningServer;
let client: EventBridgeClient;
let bus: EventBus;

beforeAll(async () => {
  buses = createEventBuses(
    () => new Date(),
    () => undefined,
  );
  buses.create('bus');
  server = await startEventBridge(buses);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new EventBridgeClient({ endpoint: server.url, region: 'us-east-1', credentials, maxAttempts: 1 });
  bus = createEventbridgeEventBus(client, 'bus');
});
afterAll(async () => {
  client.destroy();
  await server.close();
});
beforeEach(() => buses.setFault(undefined));

const event = (id: number, detail = JSON.stringify({ id })): WrittenEvent => ({
  id: String(id),
  name: 'MessageRead',
  at: '2026-11-20T11:00:00.000Z',
  detail,
});
const many = (count: number) => Array.from({ length: count }, (_, id) => event(id));

describe('the bus', () => {
  it('takes events in as many calls as it takes, under our name and at their own time', async () => {
    const results = await bus.put(many(23));

    expect(results).toEqual(many(23).map(() => ({ kind: 'taken' })));
    const told = buses.events('bus');
    expect(new Set(told.map(({ detail }) => JSON.stringify(detail))).size).toBe(23);
    expect(told[0]).toMatchObject({ source: 'parley', 'detail-type': 'MessageRead', time: '2026-11-20T11:00:00Z' });
  });

  it('says of each event what became of it', async () => {
    buses.setFault(({ Detail }) =>
      Detail === '{"id":11}' ? { errorCode: 'ThrottlingException', message: 'Rate exceeded' } : undefined,
    );

    const results = await bus.put([...many(12), event(12, '{')]);

    expect(results.slice(0, 11).every(({ kind }) => kind === 'taken')).toBe(true);
    expect(results.slice(11)).toEqual([
      { kind: 'failed', reason: 'ThrottlingException: Rate exceeded' },
      { kind: 'refused', reason: 'MalformedDetail: Detail is malformed.' },
    ]);
  });

  it('that cannot be reached has taken nothing, as far as we know', async () => {
    const unreachable = new EventBridgeClient({
      endpoint: 'http://127.0.0.1:1',
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      maxAttempts: 1,
    });

    const results = await createEventbridgeEventBus(unreachable, 'bus').put(many(11));

    expect(results).toEqual(many(11).map(() => ({ kind: 'failed', reason: expect.stringContaining('ECONNREFUSED') })));
    unreachable.destroy();
  });
});
