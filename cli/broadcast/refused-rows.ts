import { z } from 'zod';

/** Refused rows by reason, with the numbers of the first ones and of the last one. */
export const refusedRows = z.record(
  z.string(),
  z.object({ count: z.int(), rows: z.array(z.int()), last: z.optional(z.int()) }),
);

export type RefusedRows = z.output<typeof refusedRows>;

/** Limits on what is recorded, so that it stays small however large the file is. */
const MAX_REASONS = 50;
const MAX_ROWS_PER_REASON = 5;

/** Adds a refused row to `refused`. */
export const recordRefusal = (refused: RefusedRows, why: string, row: number): void => {
  const key = Object.hasOwn(refused, why) || Object.keys(refused).length < MAX_REASONS ? why : 'other reasons';
  const { count, rows } = refused[key] ?? { count: 0, rows: [] };
  refused[key] = {
    count: count + 1,
    rows: rows.length < MAX_ROWS_PER_REASON ? [...rows, row] : rows,
    last: row,
  };
};

export const countRefused = (refused: RefusedRows): number =>
  Object.values(refused).reduce((sum, { count }) => sum + count, 0);

/**
 * Describes each reason in a line, such as `  7: column phone is empty (rows 2, 7, 9, 12, 15, ..., 40)`.
 *
 * @param noun what the numbers count. @default rows
 */
export const describeRefused = (
  refused: RefusedRows,
  [one, several]: readonly [string, string] = ['row', 'rows'],
): readonly string[] =>
  Object.entries(refused).map(([why, { count, rows, last }]) => {
    const isLastListed = last === undefined || rows.includes(last);
    const more = count - rows.length - (isLastListed ? 0 : 1);
    const numbers = [...rows, ...(more > 0 ? ['...'] : []), ...(isLastListed ? [] : [last])];
    return `  ${count}: ${why} (${count === 1 ? one : several} ${numbers.join(', ')})`;
  });
