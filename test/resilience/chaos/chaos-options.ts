import { parseArgs } from 'node:util';

export interface ChaosOptions {
  /** The duration of the load and the faults. */
  readonly minutes: number;
  /** User events per second. The chat service adds a status event for each message that it accepts. */
  readonly eventsPerSecond: number;
  readonly sendsPerSecond: number;
  readonly seed: number;
}

export const HELP = `npm run chaos -- [options]

Runs the stack on this machine under load, injects faults into every connection, kills processes, and
then compares all ledgers. The exit code is 0 only if nothing was lost or done twice.

  --minutes NUMBER   duration of the load (default: 10)
  --events NUMBER    user events per second (default: 50)
  --sends NUMBER     send requests per second (default: 20)
  --seed NUMBER      seed of the load and the faults (default: random)
  --help             show this help

A run of ten minutes or more must inject every fault at least once. The same seed gives the same load
and the same faults, but the order of calls still depends on the machine.
`;

export class ChaosOptionError extends Error {
  override readonly name = 'ChaosOptionError';
}

const DEFAULTS = { minutes: '10', events: '50', sends: '20' };
const MAX_SEED = 2 ** 31 - 1;

/**
 * Parses the options of `npm run chaos`. Returns undefined for `--help`.
 *
 * @throws ChaosOptionError with a sentence about the first invalid option.
 */
export const readChaosOptions = (args: readonly string[], random: () => number): ChaosOptions | undefined => {
  const values = parse(args);
  if (values.help) return undefined;
  const seed = values.seed === undefined ? Math.floor(random() * MAX_SEED) : Number(values.seed);
  if (values.seed?.trim() === '' || !Number.isInteger(seed) || seed < 0 || seed > MAX_SEED) {
    throw new ChaosOptionError(`--seed is "${values.seed}" but must be an integer from 0 to ${MAX_SEED}.`);
  }
  return {
    minutes: positive('minutes', values.minutes, 120),
    eventsPerSecond: positive('events', values.events, 1_000),
    sendsPerSecond: positive('sends', values.sends, 1_000),
    seed,
  };
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        minutes: { type: 'string', default: DEFAULTS.minutes },
        events: { type: 'string', default: DEFAULTS.events },
        sends: { type: 'string', default: DEFAULTS.sends },
        seed: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split(/\.\s|\n/);
    throw new ChaosOptionError(`${reason}. Run "npm run chaos -- --help" for usage.`);
  }
};

const positive = (name: string, text: string, max: number): number => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0 && value <= max) return value;
  throw new ChaosOptionError(`--${name} is "${text}" but must be a number greater than 0 and at most ${max}.`);
};
