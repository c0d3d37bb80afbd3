import { describe, expect, it } from 'vitest';
import { readArguments } from '../../support/read-arguments.ts';

const read = (...args: string[]) =>
  readArguments({ args, options: { seeds: { type: 'string' }, help: { type: 'boolean', default: false } } });

describe('the arguments of a command', () => {
  it('are read by their names', () => {
    expect(read('--seeds', '5')).toMatchObject({ kind: 'read', values: { seeds: '5', help: false } });
  });

  it.each([
    [['--sed', '5'], "Unknown option '--sed'."],
    [['--seeds'], "Option '--seeds <value>' argument missing."],
    [['5'], "Unexpected argument '5'."],
  ])('are refused with a sentence: %s', (args, sentence) => {
    expect(read(...args)).toEqual({ kind: 'invalid', sentence });
  });
});
