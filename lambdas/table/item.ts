import { DamagedItemError } from '../domain/errors.ts';
import * as z from '../domain/schema.ts';

/** An item's attributes by name. */
export type Item = Record<string, unknown>;

/** The attributes with requests and events as they were received: strings that are usually JSON. */
export const JSON_TEXTS: readonly string[] = ['body', 'failedBody', 'statusBodies'];

/** An attribute that an item need not have. */
export const optionalString = z.optional(z.string());

/**
 * Parses an item read from the table.
 *
 * @throws DamagedItemError if the item does not have the form that Parley writes.
 */
export const parseItem = <Schema extends z.ZodMiniType>(schema: Schema, item: unknown): z.output<Schema> => {
  const parsed = z.safeParse(schema, item);
  if (parsed.success) return parsed.data;
  throw new DamagedItemError(`An item cannot be read: ${z.describeIssues(parsed.error, 'the item')}.`);
};
