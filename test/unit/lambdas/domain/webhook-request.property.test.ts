import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSerializedRequest, serializeRequest } from '../../../../lambdas/domain/webhook-request.ts';
import { NOW } from '../../../support/builders.ts';

describe('a serialized webhook request', () => {
  it('preserves the body byte for byte in characters that SQS accepts', () => {
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc
        .oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
        .map((text) => new TextEncoder().encode(text)),
    );
    fc.assert(
      fc.property(bytes, (body) => {
        const request = { rawBody: Buffer.from(body), receivedAt: NOW, deliveryId: '1', publishedAt: NOW };
        const serialized = serializeRequest(request, 'a reason');
        expect(parseSerializedRequest(serialized)).toEqual(request);
        // Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
        expect(serialized).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
      }),
    );
  });

  it('preserves the business number of the webhook path', () => {
    const request = { rawBody: Buffer.from('{}'), receivedAt: NOW, chatChannelNumber: '+5491100000000' };
    expect(parseSerializedRequest(serializeRequest(request))).toEqual(request);
  });

  it('is readable when the body is text', () => {
    expect(serializeRequest({ rawBody: Buffer.from('{"a":1}'), receivedAt: NOW }, 'Not a known event.')).toBe(
      JSON.stringify({ receivedAt: NOW, reason: 'Not a known event.', encoding: 'utf8', rawBody: '{"a":1}' }),
    );
  });

  it.each(['', 'hello', '{}', '{"rawBody":1}', 'null'])('cannot be parsed from %j', (text) => {
    expect(parseSerializedRequest(text)).toBeUndefined();
  });
});
