import * as z from './domain/schema.ts';

/** A whole number written in an environment variable, at least `minimum`. */
export const wholeNumber = (minimum: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d{1,9}$/, 'must be a whole number')),
    z.pipe(z.transform(Number), z.number().check(z.minimum(minimum, `must be at least ${minimum}`))),
  );

/** JSON written in an environment variable, read with `schema`. */
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
 * Reads a function's environment once, at its start.
 *
 * @throws Error that names every variable that is missing or malformed, never its value: a value may be a secret.
 */
export const readEnvironment = <Schema extends z.ZodMiniType>(
  schema: Schema,
  environment: Record<string, string | undefined>,
): z.output<Schema> => {
  const read = z.safeParse(schema, environment);
  if (read.success) return read.data;
  const faults = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The function's environment is not usable; deploy the stack again. ${faults.join('; ')}`);
};
