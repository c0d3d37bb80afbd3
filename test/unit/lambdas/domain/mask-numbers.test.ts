import { describe, expect, it } from 'vitest';
import { maskNumbers } from '../../../../lambdas/domain/mask-numbers.ts';

describe('a masked text', () => {
  it.each([
    ['+5491155550042', '***42'],
    ['to 5491155550042.', 'to ***42.'],
    ['+54 9 11 5555-0042', '***42'],
    ['(011) 15 5555.0042', '(***42'],
    ['a5491155550042b', 'a***42b'],
    ['+٥٤٩١١٥٥٥٥٠٠٤٢', '***٤٢'],
    ['6 digits: 123456', '6 digits: ***56'],
    ['5491-15-55550042', '***42'],
    ['+2026-11-20-15', '***15'],
  ])('%s becomes %s', (text, masked) => {
    expect(maskNumbers(text)).toBe(masked);
  });

  it.each([
    'HTTP 400, code 304',
    'It has been in the queue since 2026-11-20T12:00:00.000Z.',
    'the id 12345678-1234-1234-1234-123456789012',
    'arn:aws:sqs:eu-west-1:123456789012:send.fifo',
    'no answer within 10000 ms',
    'the template of 2026-11-20',
  ])('"%s" stays as it is', (text) => {
    expect(maskNumbers(text)).toBe(text);
  });
});
