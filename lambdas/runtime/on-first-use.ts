/**
 * Returns a function that runs `load` on its first call and then returns the same value. After a failure, the next call
 * runs it again.
 *
 * For AWS clients that few invocations need: loading one takes longer than the rest of most invocations, and would
 * lengthen every cold start.
 */
export const onFirstUse = <Value>(load: () => Promise<Value>): (() => Promise<Value>) => {
  let loading: Promise<Value> | undefined;
  return async () => {
    loading ??= load();
    try {
      return await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
};
