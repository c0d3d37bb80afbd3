import { expect, it } from 'vitest';
import { plainAddress } from '../../../../lambdas/domain/address.ts';
import { findUser, isSameContact } from '../../../../sandbox/console/page/state/find-user.ts';
import { SPELLINGS } from '../../../support/spellings.ts';
import { USER, userRow } from './page-data.ts';

it.each([
  ['+5491155550001', '+5491155550001'],
  ['5491155550001', '+5491155550001'],
  ['+54 9 (11) 5555-0001', '+5491155550001'],
  ['+5491155550002', '5491155550002'],
  ['CO.1000a', 'CO.1000a'],
])('finds the user that %s names', (named, contact) => {
  const users = new Map(['+5491155550001', '5491155550002', 'CO.1000a'].map((one) => [one, userRow({ contact: one })]));

  expect(findUser(users, named)?.contact).toBe(contact);
  expect(isSameContact(named, contact)).toBe(true);
});

it.each(SPELLINGS)('finds the user that %j names, unless it lacks the 9 of mobile numbers', (typed) => {
  const contact = `+${plainAddress(typed).replace('+', '')}`;

  expect(findUser(new Map([[contact, userRow({ contact })]]), typed)?.contact).toBe(contact);
});

it('finds no user for another number', () => {
  expect(findUser(new Map([[USER, userRow()]]), '+5491155550009')).toBeUndefined();
  expect(isSameContact('+5491155550001', '+5491155550009')).toBe(false);
});
