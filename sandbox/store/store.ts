/** Where a service keeps what it knows; by collection and key, in the order in which the keys were first put. */
export type Store = {
  /** The format number of the store vouches that each value is what was put. */
  load<Value>(collection: string): (readonly [key: string, value: Value])[];
  put(collection: string, key: string, value: unknown): void;
  delete(collection: string, key: string): void;
  clear(collection: string): void;
  /** All of what `work` puts is kept, or none of it. */
  transaction<Result>(work: () => Result): Result;
  close(): void;
};

/** Keeps nothing: the service's state is in memory alone. */
export const NO_STORE: Store = {
  load: () => [],
  put: () => undefined,
  delete: () => undefined,
  clear: () => undefined,
  transaction: (work) => work(),
  close: () => undefined,
};
