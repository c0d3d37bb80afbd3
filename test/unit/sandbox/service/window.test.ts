import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../../../sandbox/service/model.ts';
import { isWindowOpen, WINDOW_MS, withInbound } from '../../../../sandbox/service/window.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const conversationAfter = (times: readonly Date[]) =>
  times.reduce<Conversation | undefined>((conversation, at) => withInbound(conversation, at, NOW), undefined);

describe('the conversation window', () => {
  test('is open until, but not at, 24 hours after the last message', () => {
    expect(isWindowOpen(conversationAfter([ago(WINDOW_MS - 1)]), NOW)).toBe(true);
    expect(isWindowOpen(conversationAfter([ago(WINDOW_MS)]), NOW)).toBe(false);
    expect(isWindowOpen(undefined, NOW)).toBe(false);
  });

  test('is open if any message is less than 24 hours old, in any order of arrival', () => {
    const ageMs = fc.integer({ min: -WINDOW_MS, max: 8 * WINDOW_MS });
    fc.assert(
      fc.property(fc.array(ageMs, { minLength: 1 }), (agesMs) => {
        expect(isWindowOpen(conversationAfter(agesMs.map(ago)), NOW)).toBe(agesMs.some((age) => age < WINDOW_MS));
      }),
    );
  });

  test('never lasts more than 24 hours from now, even for a message from the future', () => {
    const conversation = conversationAfter([ago(-7 * WINDOW_MS)]);

    expect(isWindowOpen(conversation, new Date(NOW.getTime() + WINDOW_MS))).toBe(false);
  });
});
