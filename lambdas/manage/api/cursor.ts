import { InvalidPositionError } from '../../domain/errors.ts';
import * as z from '../../domain/schema.ts';
import type { ListPosition } from '../../ports.ts';

/** The `cursor` of the previous page. */
export const cursorField = z.boundedString(8192);

/** A position in a list, which the table checks. */
const listPosition = z.record(z.string(), z.string());

/** Encodes a position in a list. The cursor is opaque to clients, so that its format can change. */
export const writeCursor = (position: Readonly<Record<string, string>>): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/**
 * Returns the position of a cursor, or undefined without one. JSON can escape half of a character, which no key contains
 * and which DynamoDB refuses.
 *
 * @param schema of the position. @default one that the table checks
 * @throws InvalidPositionError for a cursor that this API did not write
 */
export const parseCursor = (
  cursor: string | undefined,
  schema: z.ZodMiniType<ListPosition> = listPosition,
): ListPosition | undefined => {
  if (cursor === undefined) return undefined;
  const json = z.parseJson(Buffer.from(cursor, 'base64url').toString());
  // Stringified, only half a character remains escaped.
  const isBroken = /\\ud[89a-f]/.test(JSON.stringify(json) ?? '');
  const position = isBroken ? undefined : z.safeParse(schema, json).data;
  if (position === undefined) throw new InvalidPositionError('The cursor is not one of this API.');
  return position;
};
