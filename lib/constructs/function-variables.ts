import { Token } from 'aws-cdk-lib';

/**
 * Writes a function's variables as its `environment.ts` reads them: strings unchanged, other values as JSON. Those that
 * are undefined are omitted.
 */
export const functionVariables = <Environment extends object>(values: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

/** From this length on, a value travels in a file. Names and ARNs are shorter. */
const LARGE_CHARACTERS = 200;

const FILE = 'variables.json';

/**
 * Keeps a function's variables within the 4 KB that an environment may have: large values are written to a file of the
 * function's code, where `variablesOf` finds them. A value that is known only at deployment stays.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export function splitVariables(variables: Readonly<Record<string, string>>): {
  readonly small: Readonly<Record<string, string>>;
  /** The text of each file, by name. */
  readonly files: Readonly<Record<string, string>>;
} {
  const isLarge = (value: string) => value.length >= LARGE_CHARACTERS && !Token.isUnresolved(value);
  const entries = Object.entries(variables);
  const large = entries.filter(([, value]) => isLarge(value));
  if (large.length === 0) return { small: variables, files: {} };
  return {
    small: { ...Object.fromEntries(entries.filter(([, value]) => !isLarge(value))), VARIABLES_FILE: FILE },
    files: { [FILE]: JSON.stringify(Object.fromEntries(large)) },
  };
}
