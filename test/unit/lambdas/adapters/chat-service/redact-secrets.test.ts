import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactSecrets } from '../../../../../lambdas/adapters/chat-service/redact-secrets.ts';
import { CANARIES, canariesIn } from '../../../../support/canaries.ts';

const TOKEN = CANARIES.accessToken;
const redact = createRedactSecrets([TOKEN]);

const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'percent-encoded': encodeURIComponent,
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'percent-encoded throughout': (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join(''),
  'in JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)),
  'in JSON escapes': (text) => [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'with escaped slashes': (text) => text.replaceAll('/', '\\/'),
  'in XML entities': (text) => [...text].map((one) => `&#${one.charCodeAt(0)};`).join(''),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64 after one byte': (text) => Buffer.from(`:${text}:`).toString('base64'),
  'in base64url after two bytes': (text) => Buffer.from(`::${text}::`).toString('base64url'),
  'in percent-encoded base64': (text) => encodeURIComponent(Buffer.from(`access-token: ${text}`).toString('base64')),
};

describe('a redacted answer', () => {
  it.each(Object.keys(ENCODINGS))('contains no token %s', (name) => {
    const text = `Denied: ${ENCODINGS[name]?.(TOKEN)}!`;
    const answer = { error: { message: text, [text]: [text, { text }] } };

    expect(canariesIn(JSON.stringify(answer))).toContain('accessToken');
    expect(canariesIn(JSON.stringify(redact(answer)))).toEqual([]);
    expect(JSON.stringify(redact(answer))).toContain('Denied: ');
  });

  it('is otherwise the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(redact(value)).toEqual(value);
      }),
    );
  });

  it('contains none of several tokens', () => {
    expect(createRedactSecrets(['first-token', 'second.token'])('first-token second.token secondXtoken')).toBe(
      '<access token> <access token> secondXtoken',
    );
  });

  it('is unchanged without a token', () => {
    expect(createRedactSecrets([''])('text')).toBe('text');
  });
});
