import { type ParseArgsConfig, parseArgs } from 'node:util';

interface Invalid {
  readonly kind: 'invalid';
  readonly sentence: string;
}

type Read<Config extends ParseArgsConfig> =
  | ({ readonly kind: 'read' } & ReturnType<typeof parseArgs<Config>>)
  | Invalid;

/** Parses a command's arguments, by default those of the process. Returns a sentence about the first invalid one. */
export const readArguments = <Config extends ParseArgsConfig>(config: Config): Read<Config> => {
  try {
    return { kind: 'read', ...parseArgs(config) };
  } catch (error) {
    return { kind: 'invalid', sentence: error instanceof Error ? firstSentence(error.message) : String(error) };
  }
};

/** Returns a sentence if the value of an option is no integer greater than 0, or too large to be one. */
export const wrongNumber = (name: string, value: string): string | undefined =>
  /^[1-9]\d{0,14}$/.test(value) ? undefined : `--${name} must be an integer greater than 0.`;

/** Parses options that are integers greater than 0, and no other arguments. Returns a sentence about the first invalid one. */
export const readNumbers = <Name extends string>(
  defaults: Readonly<Record<Name, number>>,
  args = process.argv.slice(2),
): { readonly kind: 'read'; readonly numbers: Readonly<Record<Name, number>> } | Invalid => {
  const names = Object.keys(defaults) as Name[];
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  const read = readArguments({ args, options });
  if (read.kind === 'invalid') return read;
  const numbers: Record<Name, number> = { ...defaults };
  for (const name of names) {
    const given = read.values[name];
    if (given === undefined) continue;
    const sentence = wrongNumber(name, String(given));
    if (sentence !== undefined) return { kind: 'invalid', sentence };
    numbers[name] = Number(given);
  }
  return { kind: 'read', numbers };
};

/** Reads this process's options. If one is invalid, prints the sentence and the options, and exits with 2. */
export const numbersOrExit = <Name extends string>(
  defaults: Readonly<Record<Name, number>>,
): Readonly<Record<Name, number>> => {
  const read = readNumbers(defaults);
  if (read.kind === 'read') return read.numbers;
  const options = Object.entries(defaults).map(([name, number]) => `  --${name} NUMBER   (default: ${number})`);
  console.error([read.sentence, '', ...options].join('\n'));
  process.exit(2);
};

/** Keeps the first sentence. Some messages of Node.js end without a period, and others continue with advice. */
export const firstSentence = (message: string): string => {
  const [first = message] = message.split('. ');
  return first.endsWith('.') ? first : `${first}.`;
};
