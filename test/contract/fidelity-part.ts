/** What a part of the fidelity run found. */
export interface PartResult {
  /** How many cases did what AWS documents. */
  readonly passed: number;
  /** How many differed as listed. */
  readonly differences: number;
  /** What to print about each case that differed otherwise. */
  readonly failures: readonly string[];
  /** What else to print. @default nothing */
  readonly notes?: readonly string[];
}

/** A part of the fidelity run, with the tool that it needs. */
export interface FidelityPart {
  /** What to name on the command line. */
  readonly name: string;
  readonly description: string;
  /** @throws ToolMissingError if the tool cannot run on this machine. */
  readonly run: (cacheFolder: string) => Promise<PartResult>;
}
