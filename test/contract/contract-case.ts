/** One behavior of a service, as AWS documents it. */
export interface ContractCase<Tools> {
  /** A sentence, which also identifies the case. */
  readonly name: string;
  /** Where AWS documents it. */
  readonly source: string;
  /** Calls an implementation and returns what it observes. */
  readonly observe: (tools: Tools) => Promise<unknown>;
  /** The documented result, in the form that `observe` returns. */
  readonly expected: unknown;
}
