import { describe, expect, it } from 'vitest';
import { readArguments, readNumbers } from '../../support/read-arguments.ts';

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
  ])('are rejected with a sentence: %s', (args, sentence) => {
    expect(read(...args)).toEqual({ kind: 'invalid', sentence });
  });
});

describe('the numbers of a command', () => {
  const DEFAULTS = { count: 10, users: 20 };

  it('replace the defaults', () => {
    expect(readNumbers(DEFAULTS, ['--count', '5'])).toEqual({ kind: 'read', numbers: { count: 5, users: 20 } });
  });

  it.each([
    [['--count', 'many'], '--count must be an integer greater than 0.'],
    [['--users', '0'], '--users must be an integer greater than 0.'],
    [['--users', '1.5'], '--users must be an integer greater than 0.'],
    [['--user', '5'], "Unknown option '--user'."],
  ])('are rejected with a sentence: %s', (args, sentence) => {
    expect(readNumbers(DEFAULTS, args)).toEqual({ kind: 'invalid', sentence });
  });
});
