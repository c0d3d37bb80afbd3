import { expect, it } from 'vitest';
import { windowAt } from '../../../../sandbox/console/page/state/conversation-window.ts';

const CLOSES_AT = '2026-11-21T10:00:00.000Z';
const END = Date.parse(CLOSES_AT);

it.each([
  [undefined, END, { state: 'never' }],
  [{ open: false }, END, { state: 'never' }],
  [{ open: true, closesAt: CLOSES_AT }, END - 1, { state: 'open', closesAt: END }],
  // What was read is older than now.
  [{ open: true, closesAt: CLOSES_AT }, END, { state: 'closed', closesAt: END }],
  // The chat service reported the window closed.
  [{ open: false, closesAt: CLOSES_AT }, END - 1, { state: 'closed' }],
])('the window %j is at %i: %j', (window, now, expected) => expect(windowAt(window, now)).toEqual(expected));
