import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bufferedHeader,
  bufferedText,
  isBuffered,
  parseBufferedRequest,
  withoutCredentials,
} from '../../../../lambdas/domain/buffered-request.ts';
import { parseSerializedRequest, serializeRequest } from '../../../../lambdas/domain/serialized-request.ts';
import { sendMessageTemplate } from '../../../../lib/constructs/buffered-ingress/buffered-templates.ts';
import { compileMappingTemplate } from '../../../../local/rest-api/mapping-template.ts';
import { NOW } from '../../../support/builders.ts';

const NAMES = ['auth-bm-token', 'traceparent'];
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** What API Gateway puts on the queue for a request. */
const render = compileMappingTemplate(sendMessageTemplate(NAMES, 'chatChannelNumber'), 'the template');
const messageFor = (
  headers: Record<string, string>,
  body: string,
  { chatChannelNumber = '5491100000000', extendedRequestId = 'JKJaXmPLvHcESHA=' } = {},
): string => {
  const input = { body, headers, pathParameters: { chatChannelNumber }, extendedRequestId };
  const form = new URLSearchParams(render({ ...input, requestTimeEpoch: Date.parse(NOW) }).text);
  expect([...form.keys()]).toEqual(['Action', 'Version', 'MessageBody']);
  expect(form.get('Action')).toBe('SendMessage');
  return form.get('MessageBody') ?? '';
};

const anyText = fc.string({ unit: 'binary' });
/** Texts that would end the JSON, the form, or a directive if they were not encoded. */
const hostile = fc.oneof(
  anyText,
  fc.constantFrom(
    '"]],"body":"',
    '","encoding":"json","receivedAt":"2026-11-20T12:00:00.000Z","rawBody":{"_id_":"1"},"x":"',
    '"}',
    '\\"',
    '&MessageBody=x&Action=DeleteQueue',
    '#set($x = 1)$util.urlEncode("x")#end',
    'é\u0000\n',
  ),
);

describe('a request that API Gateway puts on the queue', () => {
  it('has the bytes, headers, number, and times of the request, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), hostile, hostile, hostile, (bytes, token, trace, id) => {
        const headers = { 'AUTH-BM-Token': token, traceparent: trace, other: token };
        const message = messageFor(headers, Buffer.from(bytes).toString('base64'), { extendedRequestId: id });
        expect(parseBufferedRequest(message)).toEqual({
          unverifiedBody: Buffer.from(bytes),
          headers: { 'auth-bm-token': token.toWellFormed(), traceparent: trace.toWellFormed() },
          chatChannelNumber: '5491100000000',
          requestId: id.toWellFormed(),
          receivedAt: NOW,
        });
        expect(JSON.parse(message)).toMatchObject({ form: 'buffered-1' });
      }),
    );
  });

  it('is never taken for a verified one, even if API Gateway did not convert its body', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (token, body, chatChannelNumber) => {
        const message = messageFor({ 'auth-bm-token': token }, body, { chatChannelNumber });
        expect(isBuffered(message)).toBe(true);
        expect(parseSerializedRequest(message)).toBeUndefined();
        const buffered = parseBufferedRequest(message);
        expect(buffered?.headers['auth-bm-token']).toBe(token.toWellFormed());
      }),
    );
  });

  it('has the text itself as its body if API Gateway did not convert it', () => {
    for (const text of ['{"_id_":"1"}', '{"body":"x"}', '"}', 'ñ "quoted" \\ ']) {
      expect(parseBufferedRequest(messageFor({}, text))?.unverifiedBody.toString()).toBe(text);
    }
  });

  it('has no header that the request does not have, and an empty body if the request has none', () => {
    expect(parseBufferedRequest(messageFor({}, ''))).toEqual({
      unverifiedBody: Buffer.alloc(0),
      headers: {},
      chatChannelNumber: '5491100000000',
      requestId: 'JKJaXmPLvHcESHA=',
      receivedAt: NOW,
    });
  });

  it('has all values of a header that differs in case only, as the direct ingress has', () => {
    const message = messageFor({ 'auth-bm-token': 'a', 'Auth-BM-Token': 'b' }, '');
    expect(parseBufferedRequest(message)?.headers).toEqual({ 'auth-bm-token': 'a,b' });
  });

  it.each([
    ['%2B5491100000000', '+5491100000000'],
    ['+5491100000000', '+5491100000000'],
    ['100%', '100%'],
  ])('may have the path segment %s encoded or not', (chatChannelNumber, expected) => {
    expect(parseBufferedRequest(messageFor({}, '', { chatChannelNumber }))?.chatChannelNumber).toBe(expected);
  });
});

describe('a buffered request that is shown', () => {
  const shown = (message: string) => parseBufferedRequest(withoutCredentials(message))?.headers;

  it('has no credentials, but its trace and what Pub/Sub says about it', () => {
    const headers = { authorization: 'Bearer x', traceparent: '00-1', 'x-goog-pubsub-message-id': '7' };
    const text = Object.entries(headers).map(([name, value]) => bufferedHeader(name, base64(value)));
    const values = { requestId: '', receivedAtMs: '1795176000000', chatChannelNumber: '', body: '' };
    expect(shown(bufferedText({ ...values, headers: text.join('') }))).toEqual({ ...headers, authorization: '***' });
  });

  it('is the only message that changes', () => {
    const event = JSON.stringify([null, ['auth-bm-token', base64('x')]]);
    expect(withoutCredentials(event)).toBe(event);
  });
});

describe('a buffered request', () => {
  const VALUES = {
    requestId: base64('id'),
    receivedAtMs: '1795176000000',
    chatChannelNumber: '',
    headers: '',
    body: '',
  };

  it('is read as it was written', () => {
    const headers = bufferedHeader('x', base64('1')) + bufferedHeader('y', base64('2'));
    expect(parseBufferedRequest(bufferedText({ ...VALUES, headers }))?.headers).toEqual({ x: '1', y: '2' });
  });

  it.each([
    ['a verified request', serializeRequest({ rawBody: Buffer.from('{}'), receivedAt: NOW }) ?? ''],
    ['a time that is none', bufferedText({ ...VALUES, receivedAtMs: 'soon' })],
    ['no end', bufferedText(VALUES).slice(0, -1)],
    ['a header that is not base64', bufferedText({ ...VALUES, headers: bufferedHeader('x', '"') })],
    ['nothing', ''],
  ])('is not %s', (_case, text) => {
    expect(parseBufferedRequest(text)).toBeUndefined();
  });
});
