/** What was opened, to be closed in the opposite order. */
export interface Closers {
  readonly add: (close: () => Promise<unknown> | unknown) => void;
  /** Closes everything once; a second call waits for the first. One that fails does not keep the others open. */
  readonly close: () => Promise<void>;
}

export const createClosers = (): Closers => {
  const opened: (() => Promise<unknown> | unknown)[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (let close = opened.pop(); close; close = opened.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  return {
    add: (close) => {
      opened.push(close);
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
};
