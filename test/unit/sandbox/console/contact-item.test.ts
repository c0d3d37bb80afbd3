import { expect, it } from 'vitest';
import { isAboutUser, isContactOf } from '../../../../sandbox/console/page/state/contact-item.ts';

it.each([
  ['541155550001', '+5491155550001', true],
  ['541155550002', '+54 9 11 5555-0001', false],
  ['CO.1000abc', 'CO.1000abc', true],
  ['CO.1000abd', 'CO.1000abc', false],
])('the contact %s may be %s: %s', (key, address, expected) => expect(isContactOf(key, address)).toBe(expected));

const CUSTOMER = {
  customerId: 'K3',
  addresses: [{ platformContactId: 'CO.1000abc', linkedBy: 'message', consent: { state: 'none' } }],
  separated: ['+5491155550009'],
} as const;

it.each([
  [{ contactKey: '541155550001' }, true],
  [{ contactKey: 'CO.1000abc' }, true],
  [{ contactKey: '541155550009' }, true],
  [{ contactKey: '541155550002' }, false],
  [{ customerId: 'K3' }, true],
  [{ customerId: 'K4' }, false],
  [{}, false],
])('an item about %j may be about a user with several addresses: %s', (subject, expected) =>
  expect(isAboutUser(subject, '+5491155550001', CUSTOMER)).toBe(expected),
);

it('an item about a customer is not about a user whose customer is unknown', () => {
  expect(isAboutUser({ customerId: 'K3' }, '+5491155550001', undefined)).toBe(false);
  expect(isAboutUser({}, '+5491155550001', undefined)).toBe(false);
});
