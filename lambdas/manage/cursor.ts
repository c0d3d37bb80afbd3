import { parseJson } from '../domain/parse-json.ts';
import * as z from '../domain/schema.ts';
import { type Answer, problem } from './answer.ts';

/** A place in a list as clients carry it: opaque, so that it may change. */
export const writeCursor = (position: Readonly<Record<string, string>>): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/** Reads a cursor back; undefined for one that is not ours. */
export const readCursor = <Schema extends z.ZodMiniType>(
  schema: Schema,
  cursor: string,
): z.output<Schema> | undefined => z.safeParse(schema, parseJson(Buffer.from(cursor, 'base64url').toString())).data;

export const INVALID_CURSOR: Answer = problem(
  400,
  'INVALID_CURSOR',
  'The cursor is none that this API gave out; begin again without one.',
);
