import { describe, expect, it } from 'vitest';
import { openEnvelope } from '../../../../lambdas/domain/carrier-envelope.ts';
import { NOW, wireMessage } from '../../../support/builders.ts';

const eventBody = JSON.stringify(wireMessage());
const open = (body: unknown) => openEnvelope({ rawBody: Buffer.from(JSON.stringify(body)), receivedAt: NOW });

describe('the carrier’s envelope', () => {
  it('gives the event and the carrier’s own time and id', () => {
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
      carrierMessageId: '77',
    });
  });

  it('may be missing: the body is the event, the carrier’s word on it stands in headers', () => {
    const post = { rawBody: Buffer.from(eventBody), receivedAt: NOW, publishedAt: NOW, carrierMessageId: '78' };
    expect(openEnvelope(post)).toEqual({ kind: 'opened', eventBody, publishedAt: NOW, carrierMessageId: '78' });
  });

  it('is unreadable when the bytes are not UTF-8', () => {
    const rawBody = Buffer.from([0x7b, 0xff, 0x7d]);
    expect(openEnvelope({ rawBody, receivedAt: NOW }).kind).toBe('unreadable');
    expect(open({ message: { data: rawBody.toString('base64') } }).kind).toBe('unreadable');
  });

  it('keeps the event when the carrier’s own fields are not what they should be', () => {
    const message = { data: Buffer.from(eventBody).toString('base64'), messageId: 77, publishTime: 'today' };
    expect(open({ message })).toEqual({ kind: 'opened', eventBody });
  });

  it('of Amazon SNS gives the message and the service’s own time and id', () => {
    const notification = {
      Type: 'Notification',
      MessageId: '22b80b92',
      TopicArn: 'arn:aws:sns:eu-west-1:111122223333:chat-events',
      Message: eventBody,
      Timestamp: '2026-11-20T11:00:01.500Z',
    };
    expect(open(notification)).toEqual({
      kind: 'opened',
      eventBody,
      publishedAt: '2026-11-20T11:00:01.500Z',
      carrierMessageId: '22b80b92',
    });
    expect(open({ ...notification, Message: 'a\ud800' })).toMatchObject({ eventBody: 'a\ufffd' });
    expect(open({ ...notification, Type: 'UnsubscribeConfirmation' })).not.toHaveProperty(
      'carrierMessageId',
      '22b80b92',
    );
  });

  it('gives the carrier’s id also of what cannot be read, unless it is longer than an id', () => {
    const data = Buffer.from([0xff]).toString('base64');
    expect(open({ message: { data, messageId: '77' } })).toMatchObject({ kind: 'unreadable', carrierMessageId: '77' });
    expect(open({ message: { data, messageId: '7'.repeat(129) } })).not.toHaveProperty('carrierMessageId', '7');
  });
});
