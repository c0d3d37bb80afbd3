import { beforeEach, describe, expect, it } from 'vitest';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { parseSerializedRequest } from '../../../../lambdas/domain/serialized-request.ts';
import { NOW, wireMessage, wireStatus } from '../../../support/builders.ts';
import { webhookSample } from '../../../support/webhook-samples.ts';
import { createReceiver, type Receiver } from './receiver.ts';

let receiver: Receiver;
beforeEach(() => {
  receiver = createReceiver();
});

const message = (id: string, changes: object = {}) => wireMessage({ _id_: id, FROM: `549115555000${id}`, ...changes });
const status = (id: number) => wireStatus({ _id_: `s-${id}`, CUSTOMER_ID: undefined });
const stored = (...ids: readonly string[]) => ids.map((id) => `MESSAGE#${id} MESSAGE`);
const quarantined = () => receiver.quarantined.map((text) => parseSerializedRequest(text));

describe('a post with several events', () => {
  it('stores each by its own ID, and is answered once', async () => {
    expect(await receiver.post([message('1'), message('2'), status(3)])).toBe(200);

    expect(receiver.ids()).toEqual(stored('1', '2', 's-3'));
    expect(receiver.log.logged.map(([level, text, { id }]) => [level, text, id])).toEqual([
      ['info', 'event stored', '1'],
      ['info', 'event stored', '2'],
      ['info', 'event stored', 's-3'],
    ]);
    expect([receiver.deferred, receiver.quarantined]).toEqual([[], []]);
  });

  it('stores each message of an event with the text that it was posted with', async () => {
    const head = '{"v":"1.1" , "contactId":"5491155550001","n":1.0,"messages":[';
    const entries = ['{"_id":"1","from":"user","message":"\\u0041"}', '{"_id":"2", "from":"bot"}'];
    expect(await receiver.post(`${head}${entries.join(' , ')}]}`)).toBe(200);

    expect(receiver.state.items.get('MESSAGE#1 MESSAGE')?.body).toBe(`${head}${entries[0]}]}`);
    expect(receiver.state.items.get('MESSAGE#2 ECHO')?.body).toBe(`${head}${entries[1]}]}`);
  });

  it('changes nothing if it is delivered again', async () => {
    const post = [message('1'), message('2'), status(3)];
    await receiver.post(post);
    const before = receiver.snapshot();

    expect(await receiver.post(post)).toBe(200);

    expect(receiver.snapshot()).toEqual(before);
  });

  it('quarantines one that cannot be read alone, exactly as it was posted', async () => {
    const bad = '{"FROM" : "5491155550002", "n":1.0}';
    const post = `[${JSON.stringify(message('1'))}, ${bad}, ${JSON.stringify(message('3'))}]`;
    expect(await receiver.post(post)).toBe(200);

    expect(receiver.ids()).toEqual(stored('1', '3'));
    expect(quarantined().map((request) => [request?.rawBody.toString(), request?.isEvent])).toEqual([[bad, true]]);
    expect(receiver.deferred).toEqual([]);
    expect(receiver.metrics.counted).toEqual(['EventQuarantined']);
  });

  it('quarantines one that the table can never accept alone', async () => {
    const large = message('2', { MESSAGE: 'x'.repeat(500_000) });
    expect(await receiver.post([message('1'), large])).toBe(200);

    expect(receiver.ids()).toEqual(stored('1'));
    expect(quarantined().map((request) => request?.rawBody.toString())).toEqual([JSON.stringify(large)]);
  });

  it('is quarantined as it is if it has one event', async () => {
    await receiver.post('[ {"hello":"world"} ]');

    expect(quarantined()).toEqual([expect.objectContaining({ rawBody: Buffer.from('[ {"hello":"world"} ]') })]);
  });

  it('is answered with 503 if the quarantine is unavailable, and can be delivered again', async () => {
    const post = [message('1'), { hello: 'world' }];
    receiver.isQuarantineAvailable = false;
    expect(await receiver.post(post)).toBe(503);
    const before = receiver.snapshot();
    expect(receiver.ids()).toEqual(stored('1'));

    receiver.isQuarantineAvailable = true;
    expect(await receiver.post(post)).toBe(200);
    expect(receiver.snapshot()).toEqual(before);
    expect(receiver.quarantined).toHaveLength(1);
  });
});

describe('a post of which one event cannot be written', () => {
  const POST = [message('1'), message('2'), { hello: 'world' }];
  beforeEach(() => receiver.failing.add('MESSAGE#2'));

  it('is deferred once, as a whole and as it was posted', async () => {
    expect(await receiver.post(POST)).toBe(200);

    expect(receiver.ids()).toEqual(stored('1'));
    expect(receiver.deferred.map((text) => parseSerializedRequest(text)?.rawBody.toString())).toEqual([
      JSON.stringify(POST),
    ]);
    expect(receiver.quarantined).toEqual([]);
    expect(receiver.metrics.counted).toEqual(['EventDeferred']);
    expect(receiver.log.logged).toEqual([
      ['warn', 'event deferred to the inbound queue', expect.objectContaining({ events: 3 })],
    ]);
  });

  it('is stored by a retry, which changes nothing that is stored', async () => {
    await receiver.post(POST);
    const before = receiver.snapshot();
    receiver.nowMs += 60_000;
    expect(await receiver.drain(receiver.deferred[0])).toBe('retry');
    expect(receiver.snapshot()).toEqual(before);

    receiver.failing.clear();
    receiver.nowMs += 60_000;
    expect(await receiver.drain(receiver.deferred[0])).toBe('done');

    expect(receiver.ids()).toEqual(stored('1', '2'));
    for (const [name, item] of before) if (!name.includes('2')) expect(receiver.state.items.get(name)).toEqual(item);
    expect(quarantined().map((request) => request?.rawBody.toString())).toEqual(['{"hello":"world"}']);
    expect(receiver.counted('EventStored')).toBe(2);
  });

  it('is retried from the inbound queue until its bad entry is quarantined', async () => {
    await receiver.post(POST);
    receiver.failing.clear();
    receiver.nowMs += 60_000;
    receiver.isQuarantineAvailable = false;
    expect(await receiver.drain(receiver.deferred[0])).toBe('retry');

    receiver.isQuarantineAvailable = true;
    expect(await receiver.drain(receiver.deferred[0])).toBe('done');
    expect(receiver.quarantined).toHaveLength(1);
  });

  it('is answered with 503 if the inbound queue is unavailable too', async () => {
    receiver.isQueueAvailable = false;
    expect(await receiver.post(POST)).toBe(503);
    expect(receiver.metrics.counted).toEqual(['EventNotStored']);
  });
});

describe('a post that takes longer than the webhook has', () => {
  const POST = Array.from({ length: 30 }, (_, id) => status(id));
  beforeEach(() => {
    receiver.writeMs = 50;
  });

  it('is deferred, and stored from the inbound queue', async () => {
    expect(await receiver.post(POST)).toBe(200);

    expect(receiver.log.logged).toMatchObject([
      ['warn', 'event deferred to the inbound queue', { reason: 'The post has too many events to store in time.' }],
    ]);
    expect(receiver.ids().length).toBeLessThan(POST.length);

    expect(await receiver.drain(receiver.deferred[0])).toBe('done');
    expect(receiver.ids()).toHaveLength(POST.length);
  });

  it('does not keep the next event from the table', async () => {
    await receiver.post(POST);
    receiver.writeMs = 0;
    expect(await receiver.post(message('1'))).toBe(200);

    expect(receiver.deferred).toHaveLength(1);
    expect(receiver.ids()).toContain('MESSAGE#1 MESSAGE');
  });

  it('does not keep the next event from the table if its last write had too little time', async () => {
    receiver.failing.add('MESSAGE#s-10');
    receiver.writeMs = 30;
    await receiver.post(POST);
    expect(receiver.written).toContain('MESSAGE#s-10');
    receiver.writeMs = 0;
    await receiver.post(message('1'));

    expect(receiver.ids()).toContain('MESSAGE#1 MESSAGE');
  });

  it('leaves the table alone if a write failed that had enough time', async () => {
    receiver.failing.add('MESSAGE#s-0');
    receiver.writeMs = 0;
    await receiver.post(POST);
    await receiver.post(message('1'));
    expect(receiver.ids()).not.toContain('MESSAGE#1 MESSAGE');

    receiver.nowMs += 1_000;
    await receiver.post(message('1'));
    expect(receiver.ids()).toContain('MESSAGE#1 MESSAGE');
  });
});

describe('an unknown event', () => {
  const unknown = (type: string, id = 1) => ({ v: '1.1', type, contactId: '5491155550001', n: id });
  const newOnes = () => receiver.counted('WebhookEventNew');
  const afterMinutes = (minutes: number) => {
    receiver.nowMs = Date.parse(addMs(NOW, minutes * 60_000));
  };

  it('is stored as it was posted, and counted', async () => {
    expect(await receiver.post(unknown('conversation-close'))).toBe(200);

    expect([...receiver.state.items.values()]).toContainEqual(
      expect.objectContaining({ direction: 'unknown', body: JSON.stringify(unknown('conversation-close')) }),
    );
    expect(receiver.metrics.counted).toEqual(['WebhookEventUnknown', 'WebhookEventNew']);
    expect([...receiver.state.items.keys()].filter((name) => name.startsWith('CONTACT#'))).toEqual([]);
  });

  it('is new only in the first minutes in which the stage sees its name', async () => {
    await receiver.post([unknown('go-to'), unknown('go-to', 2)]);
    expect(newOnes()).toBe(2);
    afterMinutes(11);
    await receiver.post(unknown('go-to', 3));
    expect([newOnes(), receiver.counted('WebhookEventUnknown')]).toEqual([2, 3]);

    await receiver.post(unknown('url-click'));
    expect(newOnes()).toBe(3);
  });

  it('is not new to another process of the stage', async () => {
    await receiver.post(unknown('go-to'));
    receiver = createReceiver({ state: receiver.state });
    afterMinutes(11);
    await receiver.post(unknown('go-to', 2));

    expect(receiver.metrics.counted).toEqual(['WebhookEventUnknown']);
  });

  it('has its name written once per process', async () => {
    for (let id = 0; id < 5; id += 1) await receiver.post(unknown('go-to', id));

    expect(receiver.written.filter((pk) => pk === 'UNKNOWN#go-to')).toHaveLength(1);
    expect(receiver.written.filter((pk) => pk.startsWith('MESSAGE#event-'))).toHaveLength(5);
  });

  it('is counted when it is stored from the inbound queue', async () => {
    receiver.failing.add('UNKNOWN#go-to');
    await receiver.post(unknown('go-to'));
    expect(receiver.metrics.counted).toEqual(['EventDeferred']);

    receiver.failing.clear();
    afterMinutes(1);
    expect(await receiver.drain(receiver.deferred[0])).toBe('done');
    expect(receiver.metrics.counted).toEqual([
      'EventDeferred',
      'EventStored',
      'WebhookEventUnknown',
      'WebhookEventNew',
    ]);
  });
});

describe('a message whose time cannot be read', () => {
  it.each(['20 Nov 2026', 12, { seconds: 1 }])('is counted, and opens no window: %j', async (CREATION_TIME) => {
    expect(await receiver.post(wireMessage({ CREATION_TIME }))).toBe(200);

    expect(receiver.metrics.counted).toEqual(['EventTimeUnreadable']);
    expect([...receiver.state.items.keys()].filter((name) => !/^MESSAGE#.* MESSAGE$/.test(name))).toEqual([]);
  });

  it.each([undefined, null, ''])('does not include a message without a time: %j', async (CREATION_TIME) => {
    expect(await receiver.post(wireMessage({ CREATION_TIME }))).toBe(200);

    expect(receiver.metrics.counted).toEqual([]);
    expect([...receiver.state.items.keys()].some((name) => name.startsWith('CONTACT#'))).toBe(true);
  });
});

describe('a message whose sender is not known', () => {
  it.each([
    ['v1.1', 'No sender'],
    ['v1.1', 'Another sender'],
    ['v1.1', 'A contradiction'],
    ['camelCase', 'No sender'],
  ])('is counted, and opens no window: %s, %s', async (page, title) => {
    expect(await receiver.post(webhookSample(page, title))).toBe(200);

    expect(receiver.metrics.counted).toEqual(['SenderUnknown']);
    expect([...receiver.state.items.keys()].filter((name) => !/^MESSAGE#.* ECHO$/.test(name))).toEqual([
      // They only say whose address it is.
      expect.stringMatching(/^CONTACT#.* CONTACT$/),
      expect.stringMatching(/^CUSTOMER#.* CUSTOMER#\*$/),
    ]);
    expect([...receiver.state.items.values()].some((item) => 'lastInboundAt' in item)).toBe(false);
  });

  it.each([
    ['v1.1', 'An echo of the bot'],
    ['v1.1', 'An echo of an operator'],
    ['camelCase', 'An echo'],
    ['uppercase', 'An echo of the bot'],
  ])('is not one that a bot or an operator wrote: %s, %s', async (page, title) => {
    await receiver.post(webhookSample(page, title));

    expect(receiver.metrics.counted).toEqual([]);
  });
});
