import { readFileSync } from 'node:fs';
import { ms, seconds } from '../domain/duration.ts';
import * as z from '../domain/schema.ts';

/** A whole number of at least `minimum`, written as an environment variable. */
export const wholeNumber = (minimum: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d{1,9}$/, 'must be a whole number')),
    z.pipe(z.transform(Number), z.number().check(z.minimum(minimum, `must be at least ${minimum}`))),
  );

/** A duration of whole seconds, of at least `minimum`. The variable's name ends in `_SECONDS`. */
export const wholeSeconds = (minimum: number) => z.pipe(wholeNumber(minimum), z.transform(seconds));

/** A duration of whole milliseconds, of at least `minimum`. The variable's name ends in `_MS`. */
export const wholeMs = (minimum: number) => z.pipe(wholeNumber(minimum), z.transform(ms));

/** `true` or `false`, written as an environment variable. */
export const flag = () =>
  z.pipe(
    z.enum(['true', 'false'], 'must be true or false'),
    z.transform((text) => text === 'true'),
  );

/** JSON that matches `schema`, written as an environment variable. */
export const json = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((text, context) => {
        try {
          return JSON.parse(text);
        } catch {
          context.issues.push({ code: 'custom', message: 'must be JSON', input: text });
          return z.NEVER;
        }
      }),
    ),
    schema,
  );

/**
 * The variables of a function, as its code reads them and the stack sets them. Each is required, so that one cannot be
 * forgotten; the value of an optional one may be undefined.
 */
export type Variables<Schema extends z.ZodMiniType> = {
  readonly [Name in keyof Required<z.output<Schema>>]: z.output<Schema>[Name];
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns a function's variables: those of its environment and, because Lambda limits these to 4 KB, the large ones from a
 * file in its code.
 *
 * @param environment `VARIABLES_FILE`, if it is set, is the file's name.
 * @throws Error if the file cannot be read
 */
export const variablesOf = (environment: Environment): Environment => {
  const { VARIABLES_FILE: file, LAMBDA_TASK_ROOT: folder } = environment;
  return file === undefined
    ? environment
    : { ...JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')), ...environment };
};

/**
 * Parses a function's environment, once, at its start.
 *
 * @throws Error that names every missing or malformed variable, but never a value, which may be a secret
 */
export const parseEnvironment = <Schema extends z.ZodMiniType>(
  schema: Schema,
  environment: Environment,
): z.output<Schema> => {
  const parsed = z.safeParse(schema, environment);
  if (parsed.success) return parsed.data;
  const faults = z.describeIssues(parsed.error, 'the environment');
  throw new Error(`The function's environment is invalid; deploy the stack again. ${faults}`);
};

const awsVariables = z.object({
  AWS_REGION: z.string(),
  AWS_ACCESS_KEY_ID: z.string(),
  AWS_SECRET_ACCESS_KEY: z.string(),
  AWS_SESSION_TOKEN: z.optional(z.string()),
});

/**
 * Reads the region and the credentials of the function's role, which Lambda sets.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html, "Defined runtime environment variables"
 */
export const parseAwsVariables = (environment: Environment) => {
  const variables = parseEnvironment(awsVariables, environment);
  return {
    region: variables.AWS_REGION,
    credentials: {
      accessKeyId: variables.AWS_ACCESS_KEY_ID,
      secretAccessKey: variables.AWS_SECRET_ACCESS_KEY,
      sessionToken: variables.AWS_SESSION_TOKEN,
    },
  };
};

export type AwsVariables = ReturnType<typeof parseAwsVariables>;
