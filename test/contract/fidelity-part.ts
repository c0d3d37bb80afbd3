/** The result of one part of the fidelity run. */
export interface PartResult {
  /** The number of cases that behaved as documented. */
  readonly passed: number;
  /** The number of cases that differed as listed. */
  readonly differences: number;
  /** A description of each case with an unlisted or outdated difference. */
  readonly failures: readonly string[];
  /** Every case with its result, printed in every run. @default none */
  readonly table?: string;
  /** Details for `--verbose`. @default none */
  readonly notes?: readonly string[];
}

/** A part of the fidelity run, with the tool that it needs. */
export interface FidelityPart {
  /** The name of the part on the command line. */
  readonly name: string;
  readonly description: string;
  /** What the cases follow. @default the AWS documentation */
  readonly source?: string;
  /** @throws ToolMissingError if the tool cannot run on this machine. */
  readonly run: (cacheFolder: string) => Promise<PartResult>;
}
