import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePost, encodePost } from '../../../../lambdas/domain/verified-post.ts';
import { NOW } from '../../../support/builders.ts';

describe('a post on the inbound queue', () => {
  it('comes back byte for byte, whatever its bytes are', () => {
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc
        .oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
        .map((text) => new TextEncoder().encode(text)),
    );
    fc.assert(
      fc.property(bytes, (body) => {
        const post = { rawBody: Buffer.from(body), receivedAt: NOW, carrierMessageId: '1', publishedAt: NOW };
        const encoded = encodePost(post, 'a reason');
        expect(decodePost(encoded)).toEqual(post);
        // What SQS takes: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
        expect(encoded).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
      }),
    );
  });

  it('is readable to a person where the body is text', () => {
    expect(encodePost({ rawBody: Buffer.from('{"a":1}'), receivedAt: NOW }, 'No event that we know.')).toBe(
      JSON.stringify({ receivedAt: NOW, reason: 'No event that we know.', encoding: 'utf8', rawBody: '{"a":1}' }),
    );
  });

  it.each(['', 'hello', '{}', '{"rawBody":1}', 'null'])('%j is none', (text) => {
    expect(decodePost(text)).toBeUndefined();
  });
});
