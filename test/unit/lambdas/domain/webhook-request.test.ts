import { describe, expect, it } from 'vitest';
import { type Envelope, openEnvelope } from '../../../../lambdas/domain/webhook-request.ts';
import { NOW, wireMessage } from '../../../support/builders.ts';

const eventBody = JSON.stringify(wireMessage());
const open = (body: unknown, envelope: Envelope | undefined = 'pubsub') =>
  openEnvelope({ rawBody: Buffer.from(JSON.stringify(body)), envelope, receivedAt: NOW });

describe('openEnvelope', () => {
  it('returns the event of a Pub/Sub push with its publish time and message id', () => {
    const message = {
      data: Buffer.from(eventBody).toString('base64'),
      attributes: {},
      messageId: '77',
      publishTime: '2026-11-20T11:00:01.5Z',
    };
    expect(open({ message, subscription: 'projects/p/subscriptions/s' })).toEqual({
      kind: 'opened',
      eventBody,
      publishedAt: '2026-11-20T11:00:01.500Z',
      deliveryId: '77',
    });
  });

  it('returns a body without an envelope as the event, with the metadata of the headers', () => {
    const request = { rawBody: Buffer.from(eventBody), receivedAt: NOW, publishedAt: NOW, deliveryId: '78' };
    for (const envelope of [undefined, 'pubsub', 'sns'] as const) {
      const opened = openEnvelope({ ...request, envelope });
      expect(opened).toEqual({ kind: 'opened', eventBody, publishedAt: NOW, deliveryId: '78' });
    }
  });

  it('reads the metadata from the envelope, not from the headers', () => {
    const message = { data: Buffer.from(eventBody).toString('base64') };
    const rawBody = Buffer.from(JSON.stringify({ message }));
    const request = { rawBody, envelope: 'pubsub' as const, receivedAt: NOW, publishedAt: NOW, deliveryId: '78' };
    expect(openEnvelope(request)).toEqual({ kind: 'opened', eventBody });
  });

  it('leaves an event as it is that has been removed from its envelope, even if it looks like one', () => {
    const inner = JSON.stringify({ message: { data: Buffer.from(eventBody).toString('base64'), messageId: '77' } });
    const opened = { kind: 'opened', eventBody: inner, publishedAt: undefined, deliveryId: '78' };
    const message = { data: Buffer.from(inner).toString('base64'), messageId: '78' };
    expect(open({ message })).toEqual(opened);
    const request = { rawBody: Buffer.from(inner), receivedAt: NOW, deliveryId: '78', isEvent: true as const };
    expect(openEnvelope({ ...request, envelope: 'pubsub' })).toEqual(opened);
  });

  it('reports bytes that are not UTF-8 as unreadable', () => {
    const rawBody = Buffer.from([0x7b, 0xff, 0x7d]);
    expect(openEnvelope({ rawBody, receivedAt: NOW }).kind).toBe('unreadable');
    expect(open({ message: { data: rawBody.toString('base64') } }).kind).toBe('unreadable');
  });

  it('returns the event even if the metadata of the envelope is malformed', () => {
    const message = { data: Buffer.from(eventBody).toString('base64'), messageId: 77, publishTime: 'today' };
    expect(open({ message })).toEqual({ kind: 'opened', eventBody });
  });

  it('returns the message of an Amazon SNS notification with its time and id', () => {
    const notification = {
      Type: 'Notification',
      MessageId: '22b80b92',
      TopicArn: 'arn:aws:sns:eu-west-1:111122223333:chat-events',
      Message: eventBody,
      Timestamp: '2026-11-20T11:00:01.500Z',
    };
    expect(open(notification, 'sns')).toEqual({
      kind: 'opened',
      eventBody,
      publishedAt: '2026-11-20T11:00:01.500Z',
      deliveryId: '22b80b92',
    });
    expect(open({ ...notification, Message: 'a\ud800' }, 'sns')).toMatchObject({ eventBody: 'a\ufffd' });
    expect(open({ ...notification, Type: 'UnsubscribeConfirmation' }, 'sns')).not.toHaveProperty(
      'deliveryId',
      '22b80b92',
    );
  });

  it('returns the delivery id of an unreadable event, and ignores one of more than 128 characters', () => {
    const data = Buffer.from([0xff]).toString('base64');
    expect(open({ message: { data, messageId: '77' } })).toMatchObject({ kind: 'unreadable', deliveryId: '77' });
    const overlong = open({ message: { data, messageId: '7'.repeat(129) } });
    expect(overlong).toMatchObject({ kind: 'unreadable' });
    expect(overlong.deliveryId).toBeUndefined();
  });

  it('opens no envelope other than the expected one', () => {
    const data = Buffer.from(eventBody).toString('base64');
    const push = { message: { data, messageId: '77', publishTime: NOW } };
    const notification = { Type: 'Notification', MessageId: '77', TopicArn: 't', Message: eventBody, Timestamp: NOW };
    const unopened = (body: unknown) => ({ kind: 'opened', eventBody: JSON.stringify(body) });
    expect(open(push, 'sns')).toEqual(unopened(push));
    expect(open(notification, 'pubsub')).toEqual(unopened(notification));
    for (const body of [push, notification]) {
      const rawBody = Buffer.from(JSON.stringify(body));
      expect(openEnvelope({ rawBody, receivedAt: NOW })).toEqual(unopened(body));
    }
    const both = { ...notification, ...push };
    expect(open({ ...both, Message: '{"signed":true}' }, 'sns')).toMatchObject({ eventBody: '{"signed":true}' });
  });
});
