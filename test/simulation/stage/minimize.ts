/**
 * Removes as many entries of a list as possible, in ever smaller chunks, while it still passes the test. No single entry
 * of the result can be removed, unless the test gave up before.
 * Source: Zeller, Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28(2), 2002
 */
export const minimize = async <Entry>(
  entries: readonly Entry[],
  passes: (entries: readonly Entry[]) => Promise<boolean>,
): Promise<readonly Entry[]> => {
  if (entries.length === 0 || (await passes([]))) return [];
  let left = entries;
  for (let size = Math.ceil(left.length / 2); ; size = Math.ceil(size / 2)) {
    let isShorter = false;
    // From the end: what happens last seldom leads to what happened before.
    for (let end = left.length; end > 0; end -= size) {
      const without = [...left.slice(0, Math.max(0, end - size)), ...left.slice(end)];
      if (without.length === 0 || !(await passes(without))) continue;
      left = without;
      isShorter = true;
    }
    if (size === 1 && !isShorter) return left;
  }
};
