import type { Context, Env, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as z from 'zod';

/** An error in the contract's format: an error object with code (integer) and message (string) ("Errors"). */
export const errorBody = (code: number, message: string) => ({ error: { code, message } });

/** The limit of most bodies, 1 MiB: the sandbox's choice, since the contract shows none. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Answers a longer body with 413. */
export const limitBody = (maxBytes: number = MAX_BODY_BYTES) =>
  bodyLimit({
    maxSize: maxBytes,
    onError: (context) => context.json(errorBody(413, `The body is longer than ${maxBytes} bytes; shorten it.`), 413),
  });

export type ReadBody<Value> = { kind: 'read'; value: Value; raw: unknown } | { kind: 'invalid'; answer: Response };

/**
 * Parses the body with `schema`, and also keeps the JSON as received. An invalid body is answered with 400.
 *
 * @param isOptional whether an empty body is read as `{}`
 */
export const readBody = async <Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  { isOptional = false }: { isOptional?: boolean } = {},
): Promise<ReadBody<z.output<Schema>>> => {
  const text = await context.req.text();
  // The call log shows only bodies that were read.
  context.set('bodyText', text);
  const raw = isOptional && text === '' ? {} : parseJson(text);
  if (raw === undefined) return invalid(context, 'The body is not JSON; send a JSON object.');
  const read = schema.safeParse(raw);
  if (read.success) return { kind: 'read', value: read.data, raw };
  return invalid(context, `The body is not valid: ${read.error.issues.map(issueSentence).join('; ')}.`);
};

/** Validates the body, which the next handler reads with `context.req.valid('json')`. Rejects an invalid body. */
export const jsonBody =
  <Schema extends z.ZodType<object>>(
    schema: Schema,
    options?: { readonly isOptional: boolean },
  ): MiddlewareHandler<Env, string, { out: { json: z.output<Schema> } }> =>
  async (context, next) => {
    const body = await readBody(context, schema, options);
    if (body.kind === 'invalid') return body.answer;
    context.req.addValidatedData('json', body.value);
    return next();
  };

/** Returns the value of a JSON text, or undefined if it is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const invalid = (context: Context, message: string): { kind: 'invalid'; answer: Response } => ({
  kind: 'invalid',
  answer: context.json(errorBody(400, message), 400),
});

const issueSentence = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `${path.join('.')}: ${message}`;

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

export const isoTime = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time such as 2026-01-31T10:00:00.000Z' })
  .transform((at) => new Date(at));

/** A page of a list: at most `limit` entries before the one with the id `before`. */
export interface Page {
  readonly before?: string;
  readonly limit: number;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** Reads `?before=` and `?limit=`. */
export const readPage = (context: Context): Page => ({
  before: context.req.query('before'),
  limit: Math.min(readLimit(context) ?? DEFAULT_LIMIT, MAX_LIMIT),
});

/** Reads `?limit=`; undefined if it is missing or not a positive number. */
export const readLimit = (context: Context): number | undefined => {
  const limit = context.req.query('limit') ?? '';
  return /^[1-9]\d{0,8}$/.test(limit) ? Number(limit) : undefined;
};

/**
 * Returns the last entries of an oldest-first list that precede `before`, and the `before` of the previous page (null
 * if there is none). An unknown `before` returns an empty page.
 */
export const pageBefore = <Item extends { readonly id: string }>(
  items: readonly Item[],
  { before, limit }: Page,
): { items: readonly Item[]; before: string | null } => {
  const end = before === undefined ? items.length : items.findLastIndex(({ id }) => id === before);
  const start = Math.max(0, end - limit);
  const shown = end <= 0 ? [] : items.slice(start, end);
  return { items: shown, before: start > 0 ? (shown[0]?.id ?? null) : null };
};
