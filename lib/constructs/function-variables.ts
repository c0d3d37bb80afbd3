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

/** Lambda's 4 KB, less a reserve for the JSON syntax and for variables that are added later. */
const MAX_CHARACTERS = 3_500;

/** The longest value that a reference can have at deployment: the ARN of a secret, or the URL of a queue. */
const REFERENCE_CHARACTERS = 160;

/** Values of at least this length can move to a file. Names and ARNs are shorter. */
const LARGE_CHARACTERS = 200;

const FILE = 'variables.json';

/**
 * Keeps a function's environment variables within Lambda's 4 KB: if they could exceed it, the large values move to a file
 * in the function's code, where `variablesOf` reads them.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export function splitVariables(variables: Readonly<Record<string, string>>): {
  readonly small: Readonly<Record<string, string>>;
  /** The text of each file, by name. */
  readonly files: Readonly<Record<string, string>>;
} {
  const entries = Object.entries(variables);
  const isReference = (value: string) => Token.isUnresolved(value);
  const length = (value: string) => (isReference(value) ? REFERENCE_CHARACTERS : JSON.stringify(value).length);
  const total = entries.reduce((sum, [name, value]) => sum + name.length + length(value), 0);
  const isLarge = (value: string) => !isReference(value) && value.length >= LARGE_CHARACTERS;
  const large = total > MAX_CHARACTERS ? entries.filter(([, value]) => isLarge(value)) : [];
  if (large.length === 0) return { small: variables, files: {} };
  return {
    small: { ...Object.fromEntries(entries.filter(([, value]) => !isLarge(value))), VARIABLES_FILE: FILE },
    files: { [FILE]: JSON.stringify(Object.fromEntries(large)) },
  };
}
