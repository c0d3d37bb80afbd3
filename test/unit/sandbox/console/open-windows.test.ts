import { expect, it } from 'vitest';
import { hasOpenWindow, nextClosing } from '../../../../sandbox/console/page/phone/open-windows.ts';

const HOUR = 3_600_000;
const WROTE_AT = Date.parse('2026-11-21T10:00:00.000Z');

/** A user as the service described it when it wrote, so `open` is true. */
const aUser = (wroteAt: number) => ({
  windows: [
    {
      chatChannelNumber: '+5491100000000',
      lastInboundAt: new Date(wroteAt).toISOString(),
      closesAt: new Date(wroteAt + 24 * HOUR).toISOString(),
      open: true,
    },
  ],
});

it('closes a window after 24 hours without new data from the service', () => {
  const user = aUser(WROTE_AT);

  expect(hasOpenWindow(user, WROTE_AT)).toBe(true);
  expect(hasOpenWindow(user, WROTE_AT + 24 * HOUR - 1)).toBe(true);
  expect(hasOpenWindow(user, WROTE_AT + 24 * HOUR)).toBe(false);
  expect(hasOpenWindow({ windows: [] }, WROTE_AT)).toBe(false);
});

it('finds when the next open window closes', () => {
  const users = [aUser(WROTE_AT + HOUR), aUser(WROTE_AT), aUser(WROTE_AT - 48 * HOUR), { windows: [] }];

  expect(nextClosing(users, WROTE_AT)).toBe(WROTE_AT + 24 * HOUR);
  expect(nextClosing(users, WROTE_AT + 24 * HOUR)).toBe(WROTE_AT + 25 * HOUR);
  expect(nextClosing(users, WROTE_AT + 25 * HOUR)).toBeUndefined();
});
