import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type * as z from 'zod';
import { errorForm } from './error-form.ts';

/** What most bodies may hold: 1 MiB, the sandbox's own choice, since the contract shows no limit. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Answers a longer body with 413 in the contract's error form. */
export const limitBody = (maxBytes: number = MAX_BODY_BYTES) =>
  bodyLimit({
    maxSize: maxBytes,
    onError: (context) => context.json(errorForm(413, `The body is longer than ${maxBytes} bytes; shorten it.`), 413),
  });

export type ReadBody<Value> = { kind: 'read'; value: Value; raw: unknown } | { kind: 'invalid'; answer: Response };

/** The body as `schema` reads it, beside the JSON as it came; or the answer 400 that says what is wrong with it. */
export const readBody = async <Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
): Promise<ReadBody<z.output<Schema>>> => {
  const text = await context.req.text();
  // The log of calls shows bodies that were read, and does not wait for those that were not.
  context.set('readBody', text);
  const raw = parseJson(text);
  if (raw === undefined) return invalid(context, 'The body is not JSON; send a JSON object.');
  const read = schema.safeParse(raw);
  if (read.success) return { kind: 'read', value: read.data, raw };
  return invalid(context, `The body is not valid: ${read.error.issues.map(issueSentence).join('; ')}.`);
};

/** The value of a JSON text; undefined, which no JSON means, when it is none. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const invalid = (context: Context, message: string): { kind: 'invalid'; answer: Response } => ({
  kind: 'invalid',
  answer: context.json(errorForm(400, message), 400),
});

const issueSentence = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `${path.join('.')}: ${message}`;
