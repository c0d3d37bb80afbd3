/**
 * Returns a function that runs `load` on its first call and then returns the same value. After a failure, the next call
 * runs it again; but a module that could not be loaded stays so for the life of the process.
 *
 * For AWS clients that few invocations need: loading one takes longer than the rest of most invocations, and would
 * lengthen every cold start.
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
