import { describe, expect, it } from 'vitest';
import { parsePhoneNumber, searchUsers } from '../../../../sandbox/console/page/phone/user-search.ts';
import { CHANNEL as BUSINESS, inbound, userRow } from './page-data.ts';

const aUser = (contact: string, name?: string, at?: string) =>
  userRow({ contact, name, lastMessage: at === undefined ? null : inbound({ id: contact, at }) });

const ANA = aUser('+5491155550001', 'Ana Torres', '2026-11-21T10:00:00.000Z');
const BRUNO = aUser('5491155550002', 'Bruno', '2026-11-21T11:00:00.000Z');
const LANDLINE = aUser('+541145550001');
const WEB_CHAT = aUser('CO.1000a');
const USERS = new Map([ANA, BRUNO, LANDLINE, WEB_CHAT].map((user) => [user.contact, user]));

const search = (text: string, users = USERS) => searchUsers(users, text, BUSINESS);

describe('parsePhoneNumber', () => {
  it.each([
    ['+54 9 11 5555-0001', '+5491155550001'],
    ['+54\u00a09\u202f11\u00a05555\u20110001', '+5491155550001'],
    ['\u202a+54 9 11 5555 0001\u202c', '+5491155550001'],
    ['  +54.9.11/5555.0001 ', '+5491155550001'],
    ['(+54) 9 11 5555 0001', '+5491155550001'],
    ['tel:+5491155550001', '+5491155550001'],
    ['＋５４ 9 11 5555 0001', '+5491155550001'],
    ['5491155550001', '+5491155550001'],
    ['0054 9 11 5555 0001', '+5491155550001'],
    ['(011) 4555 0001', '+541145550001'],
  ])('reads "%s"', (text, expected) => {
    expect(parsePhoneNumber(text, BUSINESS)).toBe(expected);
  });

  it.each([
    ['+1 415 555 0100', '+14155550001'],
    ['+55 11 5555 0001', '+554155550001'],
    ['+595 21 555 000', '+5954155550001'],
  ])("completes a national number with the country code of the business's number %s", (businessNumber, expected) => {
    expect(parsePhoneNumber('0415 555 0001', businessNumber)).toBe(expected);
  });

  it.each(['', 'ana', 'CO.1000a', '12345', '+54 9 11 5555 0001 99 99', '54+9115555', '+0 11 4555 0001', '()', '+'])(
    'does not read "%s"',
    (text) => {
      expect(parsePhoneNumber(text, BUSINESS)).toBeUndefined();
    },
  );

  it('does not guess a country', () => {
    expect(parsePhoneNumber('(011) 4555 0001')).toBeUndefined();
  });
});

describe('Enter in the search field', () => {
  it.each([
    ['ana', ANA],
    ['  Ana   TORRES ', ANA],
    ['+54 9 11 5555-0001', ANA],
    ['54 9 11 5555 0002', BRUNO],
    ['+5491155550002', BRUNO],
    ['(011) 4555 0001', LANDLINE],
    ['5555 0001', ANA],
    ['co.1000', WEB_CHAT],
    ['5555', BRUNO],
  ])('selects the user that "%s" names', (text, { contact }) => {
    expect(search(text).outcome).toEqual({ kind: 'select', contact });
  });

  it('selects the user with exactly this number rather than one that contains it', () => {
    const longer = aUser('+54911555500019', undefined, '2026-11-22T10:00:00.000Z');

    const { outcome, rows, newContact } = search('549 11 5555 0001', new Map(USERS).set(longer.contact, longer));

    expect(outcome).toEqual({ kind: 'select', contact: ANA.contact });
    expect(rows).toHaveLength(2);
    expect(newContact).toBeUndefined();
  });

  it('adds a number that no user has', () => {
    expect(search('+54 9 11 5555-0009')).toEqual({
      rows: [],
      newContact: '+5491155550009',
      outcome: { kind: 'add', contact: '+5491155550009' },
    });
  });

  it('offers to add a number that is part of another one', () => {
    expect(search('+54 9 11 5555').newContact).toBe('+549115555');
  });

  it.each([
    ['', 'Enter a name, or a phone number such as +54 9 11 5555 0001.'],
    ['maria', '"maria" is not a phone number. To add a user, enter a phone number such as +54 9 11 5555 0001.'],
    ['maria 2', '"maria 2" is not a phone number. To add a user, enter a phone number such as +54 9 11 5555 0001.'],
    ['999', '"999" is not a complete phone number. Enter the full number, such as +54 9 11 5555 0001.'],
  ])('says why "%s" adds nobody', (text, reason) => {
    expect(search(text).outcome).toEqual({ kind: 'refuse', reason });
  });

  it.each(['US.1349b', 'web-chat:42'])('offers to add %s as an id', (id) => {
    expect(search(id).outcome).toMatchObject({ kind: 'refuse', id });
  });
});

it('lists all users for an empty text, the latest message first', () => {
  expect(search(' ').rows.slice(0, 2)).toEqual([BRUNO, ANA]);
  expect(search('').rows).toHaveLength(4);
});
