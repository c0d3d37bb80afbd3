import { expect, it } from 'vitest';
import { isContactOf } from '../../../../sandbox/console/page/state/contact-item.ts';

it.each([
  ['541155550001', '+5491155550001', true],
  ['541155550002', '+54 9 11 5555-0001', false],
  ['CO.1000abc', 'CO.1000abc', true],
  ['CO.1000abd', 'CO.1000abc', false],
])('the contact %s may be %s: %s', (key, address, expected) => expect(isContactOf(key, address)).toBe(expected));
