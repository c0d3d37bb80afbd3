import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressFault, isPhone, partialNumberFault, plainAddress } from '../../../../lambdas/domain/address.ts';
import { contactKey } from '../../../../lambdas/domain/contact.ts';
import { NOT_ADDRESSES, PARTIAL_NUMBERS, SPELLINGS, VERBATIM_IDS } from '../../../support/spellings.ts';

const KEY = '541150000001';

describe('an address as it is typed', () => {
  it('has at least 80 known spellings, each listed once', () => {
    expect(SPELLINGS.length).toBeGreaterThanOrEqual(80);
    expect(new Set(SPELLINGS).size).toBe(SPELLINGS.length);
  });

  it.each(SPELLINGS.map((typed) => [JSON.stringify(typed), typed] as const))('is a number: %s', (_, typed) => {
    expect(addressFault(plainAddress(typed))).toBeUndefined();
    expect(plainAddress(typed)).toMatch(/^\+?54\d+$/);
    expect(contactKey(typed)).toBe(KEY);
  });

  it.each(NOT_ADDRESSES.map(([typed, fault]) => [JSON.stringify(typed), typed, fault] as const))(
    'is no address: %s',
    (_, typed, fault) => {
      expect(addressFault(plainAddress(typed))).toContain(fault);
    },
  );

  it.each(PARTIAL_NUMBERS)('is a part of a number, or an id that a platform uses: %s', (typed, fault) => {
    expect(plainAddress(typed)).toBe(typed);
    expect(addressFault(typed)).toBeUndefined();
    expect(partialNumberFault(typed)).toContain(fault);
  });

  it.each(VERBATIM_IDS)('is an id, which stays as it is: %s', (id) => {
    expect(plainAddress(id)).toBe(id);
    expect(contactKey(id)).toBe(id);
    expect([addressFault(id), partialNumberFault(id)]).toEqual([undefined, undefined]);
  });

  it('keeps a plus, and adds one only for 00', () => {
    expect(plainAddress('+54 9 11 5000-0001')).toBe('+5491150000001');
    expect(plainAddress('54 9 11 5000-0001')).toBe('5491150000001');
    expect(plainAddress('0054 9 11 5000-0001')).toBe('+5491150000001');
  });

  it('has one plain form, whatever is put around and between the digits of a number', () => {
    // With 00, a shorter number may be an id.
    const digits = fc.stringMatching(/^[1-9]\d{9,14}$/);
    const invisible = fc.constantFrom('\u200b', '\u200e', '\u2068', '\u2069', '\u202c', '\ufeff', '\u00ad', '\u2060');
    const space = fc.constantFrom(' ', '\u00a0', '\u2009', '\u3000', '\t');
    const dash = fc.constantFrom('-', '\u2010', '\u2011', '\u2013', '\u2212', '.', '');
    const zero = fc.constantFrom(0x30, 0xff10, 0x660, 0x6f0, 0x966, 0xe50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7f6);
    const between = fc.array(fc.tuple(fc.oneof(invisible, space, dash), fc.oneof(invisible, fc.constant(''))), {
      minLength: 15,
      maxLength: 15,
    });
    fc.assert(
      fc.property(
        digits,
        zero,
        between,
        fc.constantFrom('+', '00', 'tel:+', '\uff0b'),
        (number, from, gaps, prefix) => {
          const typed = [...number]
            .map((digit, index) => `${String.fromCodePoint(from + Number(digit))}${(gaps[index] ?? []).join('')}`)
            .join('');
          expect(plainAddress(`${prefix}${typed}`)).toBe(`+${number}`);
        },
      ),
    );
  });

  it('is not examined if it is too long for a number, however it is written', () => {
    for (const text of ["a'b", '1,b', ' \u0300\u0316', '+1 ', '(0)', '\u0661']) {
      const long = text.repeat(100_000);
      expect(plainAddress(long)).toBe(long);
      expect([addressFault(long), partialNumberFault(long)]).toEqual([undefined, undefined]);
    }
  });

  it('does not change in its plain form', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[+(0]?[\d ().+-]{0,20}$/)), (typed) => {
        const plain = plainAddress(typed);
        expect(plainAddress(plain)).toBe(plain);
        expect(plain === typed || isPhone(plain)).toBe(true);
      }),
    );
  });
});
