import { describe, expect, it } from 'vitest';
import { parseSimulateCommand, USAGE } from './simulate-options.ts';

const parse = (line: string) => parseSimulateCommand(line === '' ? [] : line.split(' '));

describe('the options of npm run simulate', () => {
  it('are seeds, unless they name one history', () => {
    expect(parse('')).toEqual({ kind: 'seeds', from: 0, seeds: 1000, workers: undefined, shrinkRuns: 1000 });
    expect(parse('--seeds 50 --from 7 --workers 2 --shrink-runs 0')).toEqual({
      kind: 'seeds',
      from: 7,
      seeds: 50,
      workers: 2,
      shrinkRuns: 0,
    });
    expect(parse('--seed 4294967295 --json')).toEqual({
      kind: 'one',
      history: { seed: 4294967295 },
      invariant: undefined,
      json: true,
      shrinkRuns: 1000,
    });
    expect(parse('--history a.json --invariant sentOnce')).toEqual({
      kind: 'one',
      history: { file: 'a.json' },
      invariant: 'sentOnce',
      json: false,
      shrinkRuns: 1000,
    });
    expect(parse('--help')).toEqual({ kind: 'help' });
  });

  it.each([
    ['--seeds ten', "--seeds must be a whole number from 1 to 4294967296, not 'ten'."],
    ['--seeds 0', "--seeds must be a whole number from 1 to 4294967296, not '0'."],
    ['--seeds 2 --from 4294967295', "--seeds must be a whole number from 1 to 1, not '2'."],
    ['--from 1.5', "--from must be a whole number from 0 to 4294967295, not '1.5'."],
    ['--seed 1 --history a.json', 'Use either --seed or --history, not both.'],
    ['--seed 1 --seeds 5', '--seeds does not apply to one history.'],
    ['--history a.json --workers 2', '--workers does not apply to one history.'],
    ['--json', '--json requires --seed or --history.'],
    ['--invariant sentOnce', '--invariant requires --seed or --history.'],
    ['--sed 5', "Unknown option '--sed'."],
    ['--seed', "Option '--seed <value>' argument missing."],
  ])('are refused in a sentence: %s', (line, sentence) => {
    expect(parse(line)).toEqual({ kind: 'invalid', sentence });
  });

  it('are all in the usage', () => {
    for (const option of ['seeds', 'from', 'workers', 'seed', 'history', 'invariant', 'json', 'shrink-runs']) {
      expect(USAGE).toContain(`--${option}`);
    }
  });
});
