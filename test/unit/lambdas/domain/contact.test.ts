import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contactKey, contactRef } from '../../../../lambdas/domain/contact.ts';

// How such services write one user's number in these countries. Sources:
// https://green-api.com/en/docs/faq/features-of-sending-and-receiving-messages-from-different-countries/
// https://support.whapi.cloud/help-desk/faq/specifics-of-sending-messages-to-numbers-of-different-countries
describe('contactKey', () => {
  it.each([
    ['a number with and without plus', '+34600111222', '34600111222'],
    ['a number written with spaces and punctuation', '+34 600-111-222', '34600111222'],
    ['a number written with spaces and no plus', '54 9 11 5555-0000', '541155550000'],
    ['a number written with parentheses and no plus', '(54 11) 5555-0000', '541155550000'],
    ['Argentina, with and without the mobile 9', '+5491155550000', '541155550000'],
    ['Argentina, the trunk 15 after a two-digit area code', '+54 11 15 5555 0000', '541155550000'],
    ['Argentina, the trunk 15 after a three-digit area code', '+54 351 15 555 0000', '+543515550000'],
    ['Argentina, the trunk 15 after a four-digit area code', '+54 2966 15 55 0000', '5492966550000'],
    ['Brazil, with and without the ninth digit', '+5511987654321', '551187654321'],
    ['Mexico, with and without the mobile 1', '+5215512345678', '525512345678'],
    ['Mexico, as the second source writes it', '+52 56 3969 1841', '5215639691841'],
    ['Argentina, as the second source writes it', '+54 11 5874 9895', '5491158749895'],
    ['Benin, before and after 2024', '+229 97 11 22 33', '+229 01 97 11 22 33'],
    ["Côte d'Ivoire, Orange, before and after 2021", '+225 47 11 22 33', '+225 07 47 11 22 33'],
    ["Côte d'Ivoire, MTN, before and after 2021", '22505112233', '+2250505112233'],
    ["Côte d'Ivoire, Moov, before and after 2021", '22541112233', '2250141112233'],
    ['Brazil, as the second source writes it', '+55 92 98172 3241', '+55 92 8172 3241'],
  ])('is the same for %s', (_case, one, other) => {
    expect(contactKey(one)).toBe(contactKey(other));
  });

  it.each([
    ['a Brazilian landline and a mobile number with the same digits after the 9', '+551133334444', '+5511933334444'],
    ['two ids that differ in case', 'CO.1000a', 'CO.1000A'],
    ['an id that is not a number and a number with the same digits', 'US.1349555000', '1349555000'],
    ["two operators' numbers in Côte d'Ivoire", '+225 05 07 11 22 33', '+225 07 07 11 22 33'],
    ["a new number in Côte d'Ivoire and an old one with its last digits", '+225 05 07 11 22 33', '+225 07 11 22 33'],
    ["a landline in Côte d'Ivoire and a mobile number", '+225 27 20 11 22 33', '+225 20 11 22 33'],
    ['two countries', '+541155550000', '+551155550000'],
    ['an IP address and the number with its digits', '192.168.1.12', '+192168112'],
    ['a date and the number with its digits', '2026-11-20', '20261120'],
    ['an id with hyphens, and its digits', '1234-5678-9012', '123456789012'],
    ['a plus with too few digits, and these digits', '+1 (2) 3-4', '1234'],
    ['more digits than a number can have, with and without plus', '+1234567890123456', '1234567890123456'],
  ])('differs for %s', (_case, one, other) => {
    expect(contactKey(one)).not.toBe(contactKey(other));
  });

  it.each(['CO.1000123', 'US.1349', 'web-7f3a#1', 'me@example.com', '12345', '192.168.1.12', '1234-5678-9012'])(
    'returns %s, which is not a phone number, unchanged',
    (id) => {
      expect(contactKey(id)).toBe(id);
    },
  );

  it('returns a key unchanged, so that a key can be looked up like an address', () => {
    const digits = fc.stringMatching(/^\+?(54|55|52|34|1|229|22901|225|22507|22505|22501)\d{6,13}$/);
    fc.assert(
      fc.property(fc.oneof(digits, fc.string()), (address) => {
        expect(contactKey(contactKey(address))).toBe(contactKey(address));
      }),
    );
  });
});

describe('contactRef', () => {
  it('names one contact for all business numbers, or one for each, whatever its spelling', () => {
    expect(contactRef('Chat', '+34600111222').channel).toBe('*');
    const channels = ['+5491100000000', '5491100000000', '+54 9 11 0000-0000', '541100000000'].map(
      (number) => contactRef('chat', '+34600111222', number).channel,
    );
    expect(new Set(channels)).toEqual(new Set(['541100000000']));
  });
});
