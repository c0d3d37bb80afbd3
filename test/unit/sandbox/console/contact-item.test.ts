import { expect, it } from 'vitest';
import { isItemOf } from '../../../../sandbox/console/page/state/contact-item.ts';

it.each([
  ['CONTACT#chat#*#541155550001 HANDOVER', '+5491155550001', true],
  ['CONTACT#chat#*#541155550002 HANDOVER', '+54 9 11 5555-0001', false],
  ['CONTACT#chat#*#CO.1000abc CONSENT', 'CO.1000abc', true],
  ['CONTACT#chat#*#CO.1000abd CONSENT', 'CO.1000abc', false],
  ['MESSAGE#541155550001 MESSAGE', '+5491155550001', false],
])('%s may be about %s: %s', (key, address, expected) => expect(isItemOf(key, address)).toBe(expected));
