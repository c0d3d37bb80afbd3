import { parseArgs } from 'node:util';
import { firstSentence } from '../../support/read-arguments.ts';

export const USAGE = `npm run simulate [-- options]
  --seeds <number>     number of histories to play (default: 1,000)
  --from <seed>        first seed (default: 0)
  --workers <number>   number of threads (default: one per core)
  --seed <seed>        play the history of one seed, and print its features and its timeline
  --history <file>     play a stored history
  --invariant <name>   with --seed or --history: shrink the history if it violates this invariant
  --json               with --seed or --history: print the history, the ledger, and the violations as JSON
  --shrink-runs <n>    maximum number of runs to shrink a history (default: 1,000; 0 disables shrinking)`;

/** A parsed command line. */
export type SimulateCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'invalid'; readonly sentence: string }
  | {
      readonly kind: 'seeds';
      readonly from: number;
      readonly seeds: number;
      readonly workers: number | undefined;
      readonly shrinkRuns: number;
    }
  | {
      readonly kind: 'one';
      readonly history: { readonly seed: number } | { readonly file: string };
      readonly invariant: string | undefined;
      readonly json: boolean;
      readonly shrinkRuns: number;
    };

const OPTIONS = {
  seeds: { type: 'string' },
  from: { type: 'string' },
  workers: { type: 'string' },
  seed: { type: 'string' },
  history: { type: 'string' },
  invariant: { type: 'string' },
  json: { type: 'boolean' },
  'shrink-runs': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** The options that apply only to many seeds, or only to one history. */
const FOR_SEEDS = ['seeds', 'from', 'workers'] as const;
const FOR_ONE = ['invariant', 'json'] as const;

const MAX_SEED = 2 ** 32 - 1;
const MAX_WORKERS = 256;

export const parseSimulateCommand = (args: readonly string[]): SimulateCommand => {
  try {
    return readCommand(args);
  } catch (error) {
    return { kind: 'invalid', sentence: error instanceof Error ? firstSentence(error.message) : String(error) };
  }
};

const readCommand = (args: readonly string[]): SimulateCommand => {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return { kind: 'help' };
  const shrinkRuns = numberOf('shrink-runs', values['shrink-runs'] ?? '1000', { min: 0, max: 1_000_000 });
  if (values.seed !== undefined && values.history !== undefined) {
    throw new Error('Use either --seed or --history, not both.');
  }
  if (values.seed === undefined && values.history === undefined) {
    for (const name of FOR_ONE)
      if (values[name] !== undefined) throw new Error(`--${name} requires --seed or --history.`);
    const from = numberOf('from', values.from ?? '0', { min: 0, max: MAX_SEED });
    const seeds = numberOf('seeds', values.seeds ?? '1000', { min: 1, max: MAX_SEED + 1 - from });
    const workers =
      values.workers === undefined ? undefined : numberOf('workers', values.workers, { min: 1, max: MAX_WORKERS });
    return { kind: 'seeds', from, seeds, workers, shrinkRuns };
  }
  for (const name of FOR_SEEDS) {
    if (values[name] !== undefined) throw new Error(`--${name} does not apply to one history.`);
  }
  const { seed, history: file = '', invariant, json = false } = values;
  const history = seed === undefined ? { file } : { seed: numberOf('seed', seed, { min: 0, max: MAX_SEED }) };
  return { kind: 'one', history, invariant, json, shrinkRuns };
};

const numberOf = (
  option: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new Error(`--${option} must be a whole number from ${min} to ${max}, not '${text}'.`);
};
