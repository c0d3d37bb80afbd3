import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressVariants, contactKey } from '../../../../lambdas/domain/contact.ts';
import { createTraceSearch } from '../../../../lambdas/domain/traces.ts';
import { USER, wireMessage } from '../../../support/builders.ts';
import { SPELLINGS } from '../../../support/spellings.ts';

const search = createTraceSearch({ ids: [USER, 'customer-1'], texts: ['Where is my parcel?'] });
const isFound = (text: string) => search.inText(text).length > 0;
const event = JSON.stringify(wireMessage({ FROM: USER, CUSTOMER_ID: 'other', MESSAGE: 'Hello' }));
const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64');

describe('the search for traces', () => {
  it.each([
    ['as received', '+5491155550000'],
    ['as a key', 'CONTACT#chat#*#541155550000'],
    ['without the mobile 9', '541155550000'],
    ['with the trunk 15', '54 11 15 5555-0000'],
    ['with punctuation', 'call +54 9 (11) 5555-0000 at 10'],
    ['with the international prefix', '005491155550000'],
    ['after another number', '10 5491155550000'],
    ['the other id', 'for customer-1.'],
    ['a text', 'He wrote: Where is my parcel?'],
  ])('finds a user %s', (_case, text) => {
    expect(isFound(text)).toBe(true);
  });

  it.each(SPELLINGS.map((typed) => [JSON.stringify(typed), typed] as const))(
    'finds a number as %s, and by it',
    (_, typed) => {
      const [key = ''] = SPELLINGS;
      expect(createTraceSearch({ ids: [key] }).inText(`He wrote ${typed} here.`)).toHaveLength(1);
      expect(createTraceSearch({ ids: [typed] }).inText(`He wrote ${key} here.`)).toHaveLength(1);
    },
  );

  it.each([
    ['in JSON', event],
    ['in JSON, escaped', event.replace('+5491155550000', '\\u002b\\u0035491155550000')],
    ['in JSON in JSON', JSON.stringify({ body: event })],
    ['in a name', JSON.stringify({ [USER]: 1 })],
    ['as a number', JSON.stringify({ FROM: 5491155550000 })],
    ['in base64', base64(event)],
    ['in base64url', Buffer.from(`${event}ÿÿ`).toString('base64url')],
    ['in an envelope in a request', JSON.stringify({ rawBody: base64(JSON.stringify({ data: base64(event) })) })],
    ['compressed with gzip', JSON.stringify({ body: base64(gzipSync(event)) })],
    ['compressed as Parley does', JSON.stringify({ body: base64(deflateRawSync(event)) })],
  ])('finds a number %s', (_case, text) => {
    expect(isFound(text)).toBe(true);
  });

  it('searches sets, lists, and bytes, and names the fields', () => {
    const item = {
      pk: 'MESSAGE#1',
      statuses: new Set(['played 5491155550000']),
      media: [['no', 'customer-1']],
      packed: gzipSync(event),
    };
    expect(search.inValue(item)).toEqual(['statuses', 'media', 'packed', 'FROM']);
  });

  it.each([
    ['another number', '+5491155550001'],
    ['a longer number', '15491155550000'],
    ['a time', '2026-11-20T11:00:00.000Z'],
    ['nothing', ''],
    ['invalid JSON', '{"FROM":'],
  ])('does not find a user in %s', (_case, text) => {
    expect(isFound(text)).toBe(false);
  });

  it('knows every variant of a number', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^((54|55|52|34)(9|1)?\d{10}(15)?|229(01)?\d{8}|225(0[157])?\d{8})$/), (digits) => {
        const variants = addressVariants(contactKey(digits));
        expect(variants.every((variant) => contactKey(variant) === contactKey(digits))).toBe(true);
        expect(variants).toContain(digits);
      }),
    );
  });
});
