/**
 * The maximum size of a page's values as JSON. Lambda limits a response to 6 MB, in which the page is a string whose
 * quotation marks are escaped.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_PAGE_BYTES = 900_000;

/** An entry can take two reads, an item and its echo, and a BatchGetItem call reads up to 100 items. */
const ENTRIES_PER_READ = 50;

/**
 * Reads the values of index entries until a page is full. A value without an item is undefined and left out.
 *
 * @returns the values, and how many of the entries they come from: at least one
 */
export const readWithinBudget = async <Entry, Value>(
  entries: readonly Entry[],
  read: (entries: readonly Entry[]) => Promise<readonly (Value | undefined)[]>,
): Promise<{ readonly values: readonly Value[]; readonly used: number }> => {
  const values: Value[] = [];
  let bytes = 0;
  for (let start = 0; start < entries.length; start += ENTRIES_PER_READ) {
    const chunk = await read(entries.slice(start, start + ENTRIES_PER_READ));
    for (const [index, value] of chunk.entries()) {
      if (value === undefined) continue;
      bytes += Buffer.byteLength(JSON.stringify(value));
      if (bytes > MAX_PAGE_BYTES && values.length > 0) return { values, used: start + index };
      values.push(value);
    }
  }
  return { values, used: entries.length };
};
