/** One thing that a service does, as AWS documents it. */
export interface ContractCase<Tools> {
  /** A sentence, which also identifies the case. */
  readonly name: string;
  /** Where AWS documents it. */
  readonly source: string;
  /** Uses an implementation. Returns what it observed. */
  readonly observe: (tools: Tools) => Promise<unknown>;
  /** What the service does, in the form that `observe` returns. */
  readonly expected: unknown;
}
