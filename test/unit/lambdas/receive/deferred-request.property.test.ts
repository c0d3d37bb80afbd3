import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../../../lambdas/domain/webhook-request.ts';
import { NOW, wireMessage } from '../../../support/builders.ts';
import { createReceiver } from './receiver.ts';

/** What is in the table and in quarantine of a stage that stores the post directly. */
const directly = async (envelope: Envelope | undefined, body: string, headers: Record<string, string> = {}) => {
  const receiver = createReceiver({ envelope });
  await receiver.post(body, headers);
  return { items: receiver.snapshot(), quarantined: receiver.quarantined };
};

const event = JSON.stringify(wireMessage({ CREATION_TIME: undefined }));
const other = JSON.stringify(wireMessage({ _id_: 'message-2', CREATION_TIME: undefined }));
const push = (data: string) => ({
  message: { data: Buffer.from(data).toString('base64'), messageId: '77', publishTime: '2026-11-20T11:00:00Z' },
});
const notification = (Message: string) => ({
  Type: 'Notification',
  MessageId: '78',
  TopicArn: 'arn:aws:sns:eu-west-1:111122223333:chat-events',
  Message,
  Timestamp: '2026-11-20T10:00:00Z',
});
const BODIES = {
  'a bare event': event,
  'a push': JSON.stringify(push(event)),
  'a notification': JSON.stringify(notification(event)),
  'a notification and a push': JSON.stringify({ ...notification(event), ...push(other) }),
  'an event and a push': JSON.stringify({ ...wireMessage({ CREATION_TIME: undefined }), ...push(other) }),
  'a push in a notification': JSON.stringify(notification(JSON.stringify(push(other)))),
  'a push in a push': JSON.stringify(push(JSON.stringify(push(other)))),
  'no event': '{"hello":"world"}',
  'not JSON': 'hello',
};
const envelope = fc.constantFrom<Envelope | undefined>(undefined, 'pubsub', 'sns');
const body = fc.constantFrom(...Object.values(BODIES));
const headers = fc.constantFrom<Record<string, string>>(
  {},
  { 'x-goog-pubsub-message-id': '7', 'x-goog-pubsub-publish-time': NOW },
);

describe('a deferred request', () => {
  it('is stored, or quarantined, exactly as it would have been directly', async () => {
    await fc.assert(
      fc.asyncProperty(envelope, body, headers, async (stage, posted, given) => {
        const later = createReceiver({ envelope: stage });
        later.isTableAvailable = false;
        await later.post(posted, given);
        // A table that failed is left alone for a second, so another process drains the queue.
        const drained = createReceiver({ envelope: stage, state: later.state });
        for (const message of later.deferred) await drained.drain(message);
        const quarantined = [...drained.quarantined, ...later.quarantined];
        expect({ items: drained.snapshot(), quarantined }).toEqual(await directly(stage, posted, given));
      }),
    );
  });

  it('keeps its envelope when the stage is authenticated in another way before the queue is drained', async () => {
    const before = createReceiver({ envelope: 'sns' });
    before.isTableAvailable = false;
    await before.post(BODIES['a notification']);
    const after = createReceiver({ envelope: 'pubsub' });
    for (const message of before.deferred) await after.drain(message);
    expect(after.snapshot()).toEqual((await directly('sns', BODIES['a notification'])).items);
    expect(after.ids()).toHaveLength(1);
  });
});

describe('a request that was quarantined because the stage expected bare events', () => {
  it('is stored when it is redriven after the setting was corrected', async () => {
    const wrong = createReceiver();
    await wrong.post(BODIES['a push']);
    expect([wrong.snapshot().size, wrong.quarantined.length]).toEqual([0, 1]);
    const right = createReceiver({ envelope: 'pubsub' });
    await right.drain(wrong.quarantined[0]);
    const { items } = await directly('pubsub', BODIES['a push']);
    expect({ items: right.snapshot(), quarantined: right.quarantined }).toEqual({ items, quarantined: [] });
  });
});

describe('a request on the queue that does not name its envelope', () => {
  const unmarked = (rawBody: string, more: Record<string, unknown> = {}) =>
    `${JSON.stringify({ receivedAt: NOW, ...more, encoding: 'json' }).slice(0, -1)},"rawBody":${rawBody}}`;
  const cases = (['pubsub', 'sns', undefined] as const).flatMap((stage) =>
    Object.entries(BODIES)
      .filter(([name]) => name !== 'not JSON')
      .map(([name, raw]) => ({ stage, name, raw })),
  );

  it.each(cases)('is read as the stage $stage reads $name', async ({ stage, raw }) => {
    const drained = createReceiver({ envelope: stage });
    await drained.drain(unmarked(raw));
    const { items, quarantined } = await directly(stage, raw);
    expect([drained.snapshot(), drained.quarantined.length]).toEqual([items, quarantined.length]);
  });

  it('is read only from its signed fields', async () => {
    const drained = createReceiver({ envelope: 'sns' });
    await drained.drain(unmarked(BODIES['a notification and a push']));
    expect(drained.ids()).toEqual(['MESSAGE#message-1 MESSAGE']);
  });

  it('is the bare event if it was too large with its envelope', async () => {
    const drained = createReceiver({ envelope: 'pubsub' });
    await drained.drain(unmarked(BODIES['an event and a push'], { isEvent: true }));
    expect(drained.ids()).toEqual(['MESSAGE#message-1 MESSAGE']);
  });
});
