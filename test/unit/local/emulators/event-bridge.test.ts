import { createServer } from 'node:http';
import { EventBridgeClient, ListRulesCommand, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ListeningServer, listenLocally } from '../../../../local/base/listen-locally.ts';
import { startEventBridge } from '../../../../local/emulators/event-bridge.ts';
import { type BusTarget, createEventBuses, type EventBuses } from '../../../../local/emulators/event-buses.ts';
import {
  createApiDestinations,
  createEventDeadLetters,
  createQueueTarget,
  TargetError,
  type UndeliveredEvent,
} from '../../../../local/emulators/event-targets.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';

let warnings: string[];
let buses: EventBuses;
let server: ListeningServer;
let client: EventBridgeClient;

beforeAll(async () => {
  buses = createEventBuses(
    () => new Date('2026-11-20T12:00:00.000Z'),
    (warning) => warnings.push(warning),
  );
  buses.create('bus');
  server = await startEventBridge(buses);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new EventBridgeClient({ endpoint: server.url, region: 'us-east-1', credentials, maxAttempts: 1 });
});
afterAll(async () => {
  client.destroy();
  await server.close();
});
beforeEach(() => {
  warnings = [];
  buses.setFault(undefined);
});

const entry = (Detail: string, changes: object = {}) => ({
  EventBusName: 'bus',
  Source: 'parley',
  DetailType: 'MessageRead',
  Detail,
  ...changes,
});
const put = (...Entries: ReturnType<typeof entry>[]) => client.send(new PutEventsCommand({ Entries }));
const lastEvent = () => buses.events('bus').at(-1);

const collectingTarget = (failure?: Error) => {
  const delivered: unknown[] = [];
  const deadLetters: UndeliveredEvent[] = [];
  const target: BusTarget = {
    name: 'the test target',
    async deliver(event) {
      if (failure) throw failure;
      delivered.push(JSON.parse(event));
    },
    deadLetter: async (_event, why) => void deadLetters.push(why),
  };
  return { target, delivered, deadLetters };
};

describe('the EventBridge emulator', () => {
  it('accepts an event, returns its id, and keeps it in the documented form', async () => {
    const { FailedEntryCount, Entries = [] } = await put(entry('{"a":1}', { Time: new Date('2026-11-20T11:00:00Z') }));

    expect(FailedEntryCount).toBe(0);
    expect(lastEvent()).toEqual({
      version: '0',
      id: Entries[0]?.EventId,
      'detail-type': 'MessageRead',
      source: 'parley',
      account: '000000000000',
      time: '2026-11-20T11:00:00Z',
      region: 'local',
      resources: [],
      detail: { a: 1 },
    });
  });

  it('knows when it received an event, whatever its time', async () => {
    await put(entry('{}', { Time: new Date('2026-11-20T11:00:00Z') }));

    expect(buses.events('bus').slice(-1).map(buses.receivedAt)).toEqual([new Date('2026-11-20T12:00:00.000Z')]);
  });

  it('delivers an event to the targets of the rules that match it', async () => {
    const [matching, other] = [collectingTarget(), collectingTarget()];
    buses.addRule('bus', { matches: () => true, targets: [matching.target] });
    buses.addRule('bus', { matches: () => false, targets: [other.target] });

    await put(entry('{"a":2}'));
    await buses.delivered();

    expect([matching.delivered, other.delivered]).toEqual([[lastEvent()], []]);
  });

  it.each([
    [new TargetError('ERROR_FROM_TARGET', 'closed'), 2],
    [new TargetError('NO_RESOURCE', 'closed'), 0],
  ])(
    'sends an undeliverable event to the dead-letter queue, and warns: %s after %i retries',
    async (error, retries) => {
      buses.create(error.code);
      const closed = collectingTarget(error);
      buses.addRule(error.code, { matches: () => true, targets: [closed.target] });

      await put(entry('{"a":3}', { EventBusName: error.code }));
      await buses.delivered();

      expect(closed.deadLetters).toEqual([{ error, retries }]);
      expect(warnings).toEqual(['An event could not be delivered to the test target: closed']);
    },
  );

  it('rejects only the entries whose detail is not a JSON object', async () => {
    const { FailedEntryCount, Entries } = await put(entry('{'), entry('{}'), entry('7'));

    expect(FailedEntryCount).toBe(2);
    expect(Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual(['MalformedDetail', undefined, 'MalformedDetail']);
  });

  it('fails the entries for which a fault is set', async () => {
    buses.setFault(({ Detail }) =>
      Detail.includes('bad') ? { errorCode: 'ThrottlingException', message: 'Rate exceeded' } : undefined,
    );

    const { Entries } = await put(entry('{"a":"bad"}'), entry('{"a":"good"}'));

    expect(Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual(['ThrottlingException', undefined]);
    expect(lastEvent()?.detail).toEqual({ a: 'good' });
  });

  it.each([
    ['eleven entries', Array.from({ length: 11 }, () => entry('{}')), /1 to 10 entries/],
    ['a megabyte', [entry(`{"a":"${'x'.repeat(1024 * 1024)}"}`)], /over the limit/],
  ])('rejects a request with %s', async (_name, entries, message) => {
    await expect(put(...entries)).rejects.toThrow(message);
  });

  it('rejects any other operation by name', async () => {
    await expect(client.send(new ListRulesCommand({}))).rejects.toThrow('does not support AWSEvents.ListRules');
  });
});

describe('an API destination', () => {
  it('receives the event with its key; any response other than 2xx is a failure', async () => {
    const posted: unknown[] = [];
    const receiver = await listenLocally(
      createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        posted.push([request.method, request.headers['x-key'], Buffer.concat(chunks).toString()]);
        response.writeHead(posted.length === 1 ? 204 : 302, { location: 'http://127.0.0.1:1/' }).end();
      }),
    );
    try {
      const destinations = createApiDestinations();
      destinations.addConnection('connection', { header: 'x-key', value: 'secret' });
      destinations.add('destination', { url: receiver.url, connectionArn: 'connection' });

      await destinations.post('destination', '{"a":1}');
      await expect(destinations.post('destination', '{"a":2}')).rejects.toThrow(
        'The API destination responded with 302.',
      );
      await expect(destinations.post('other', '{}')).rejects.toThrow('There is no API destination other');

      expect(posted[0]).toEqual(['POST', 'secret', '{"a":1}']);
    } finally {
      await receiver.close();
    }
  });
});

describe('the dead letter of a target', () => {
  it('has the attributes of EventBridge: a condition only if retries ended the delivery', async () => {
    const emulator = await startSqs({ pollSecondMs: 10 });
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const sqs = new SQSClient({ endpoint: emulator.url, region: 'us-east-1', credentials });
    try {
      await sqs.send(new CreateQueueCommand({ QueueName: 'dead' }));
      const urlOf = (name: string) => `${emulator.url}/000000000000/${name}`;
      const deadLetter = createEventDeadLetters(sqs, urlOf('dead'), { ruleArn: 'the:rule', targetArn: 'the:target' });
      const missing = await createQueueTarget(sqs, urlOf('missing'))('{}').catch((error: unknown) => error);

      await deadLetter('{"a":1}', { error: missing, retries: 0 });
      await deadLetter('{"a":2}', { error: new TargetError('ERROR_FROM_TARGET', 'closed'), retries: 2 });

      const command = { QueueUrl: urlOf('dead'), MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] };
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(command));
      const attributes = Messages.map(({ Body, MessageAttributes = {} }) => [
        Body,
        Object.fromEntries(Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue])),
      ]);
      expect(attributes).toEqual([
        [
          '{"a":1}',
          {
            RULE_ARN: 'the:rule',
            TARGET_ARN: 'the:target',
            ERROR_CODE: 'NO_RESOURCE',
            ERROR_MESSAGE: expect.stringContaining('queue'),
            RETRY_ATTEMPTS: '0',
          },
        ],
        [
          '{"a":2}',
          {
            RULE_ARN: 'the:rule',
            TARGET_ARN: 'the:target',
            ERROR_CODE: 'ERROR_FROM_TARGET',
            ERROR_MESSAGE: 'closed',
            EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
            RETRY_ATTEMPTS: '2',
          },
        ],
      ]);
    } finally {
      sqs.destroy();
      await emulator.close();
    }
  });
});
