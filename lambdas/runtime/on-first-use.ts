/**
 * Returns a function that calls `load` on first use and then returns the same value. If `load` fails, the next use calls
 * it again, but a module that failed to load cannot be loaded again in the same process.
 *
 * For AWS clients that few invocations need: loading one takes longer than most invocations and would lengthen every
 * cold start.
 */
export const onFirstUse = <Value>(load: () => Promise<Value>): (() => Promise<Value>) => {
  let loading: Promise<Value> | undefined;
  return async () => {
    loading ??= load();
    const current = loading;
    try {
      return await current;
    } catch (error) {
      // Another caller may have started the next load meanwhile.
      if (loading === current) loading = undefined;
      throw error;
    }
  };
};
