import { describe, expect, it } from 'vitest';
import { addressFault, partialNumberFault, plainAddress } from '../../../../lambdas/domain/address.ts';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { searchUsers } from '../../../../sandbox/console/page/phone/user-search.ts';
import { NOT_ADDRESSES, PARTIAL_NUMBERS, SPELLINGS, VERBATIM_IDS } from '../../../support/spellings.ts';
import { inbound, userRow } from './page-data.ts';

const aUser = (contact: string, name?: string, at?: string) =>
  userRow({ contact, name, lastMessage: at === undefined ? null : inbound({ id: contact, at }) });

const ANA = aUser('+5491155550001', 'Ana Torres', '2026-11-21T10:00:00.000Z');
const BRUNO = aUser('5491155550002', 'Bruno', '2026-11-21T11:00:00.000Z');
const LANDLINE = aUser('+541145550001');
const WEB_CHAT = aUser('CO.1000a');
const USERS = new Map([ANA, BRUNO, LANDLINE, WEB_CHAT].map((user) => [user.contact, user]));

const search = (text: string, users = USERS) => searchUsers(users, text);

describe('what is typed for an address', () => {
  it.each(SPELLINGS)('reads "%s" as Parley does', (typed) => {
    const { outcome } = search(typed);

    expect(outcome).toEqual({ kind: 'add', contact: `+${plainAddress(typed).replace('+', '')}` });
    // Parley finds the same contact under every spelling.
    expect(contactRef('chat', outcome.kind === 'add' ? outcome.contact : '')).toEqual(contactRef('chat', typed));
  });

  it.each(
    [...NOT_ADDRESSES, ...PARTIAL_NUMBERS].filter(([typed]) => typed.trim() !== '' && !/^[\u200b\u2060]+$/.test(typed)),
  )('refuses "%s" with Parley\'s sentence', (typed, fault) => {
    const address = plainAddress(typed);
    const sentence = addressFault(address) ?? partialNumberFault(address);

    const { outcome, newContact } = search(typed, new Map());

    expect(newContact).toBeUndefined();
    expect(outcome).toEqual({ kind: 'refuse', reason: expect.stringContaining(`" ${sentence}.`) });
    expect(sentence).toContain(fault);
  });

  it.each(VERBATIM_IDS)('takes "%s" for no phone number', (id) => {
    expect(search(id).newContact).toBeUndefined();
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
    ['999', '"999" has too few digits for a phone number; write it in international format, such as +5491150000001.'],
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
