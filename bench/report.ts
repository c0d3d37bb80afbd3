import type { PartName } from './part-names.ts';

/** What a part of the benchmark measured. */
export interface Measurement {
  readonly tables: readonly Table[];
  readonly charts: readonly BarChart[];
  /** The rows of the table at the top of the page. */
  readonly summary?: Table['rows'];
}

export interface Report extends Measurement {
  readonly part: PartName;
  /** The date of the measurement, such as `2026-11-23`. */
  readonly date: string;
  /** The machine and the Node.js version, which absolute figures depend on. */
  readonly machine: string;
}

export interface Table {
  readonly title: string;
  /** The first row is the header. The first column is text; the others are figures. */
  readonly rows: readonly (readonly string[])[];
  /** A sentence below the table. */
  readonly note?: string;
}

/** Horizontal bars, in groups that are compared. */
export interface BarChart {
  /** The name of the file in `docs/images`, without its extension. */
  readonly name: string;
  readonly title: string;
  /** The unit of the values, such as `ms`. */
  readonly unit: string;
  readonly groups: readonly {
    readonly label: string;
    readonly bars: readonly { readonly label: string; readonly value: number }[];
  }[];
}

/** The median of some samples, and their quartiles as a measure of spread. */
export interface Summary {
  readonly median: number;
  readonly lowerQuartile: number;
  readonly upperQuartile: number;
}

/** Returns the quantile of samples: 0.5 is the median. NaN without samples. */
export const quantile = (samples: readonly number[], fraction: number): number => {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
};

export const summarize = (samples: readonly number[]): Summary => ({
  median: quantile(samples, 0.5),
  lowerQuartile: quantile(samples, 0.25),
  upperQuartile: quantile(samples, 0.75),
});

/**
 * Measures every subject once per round, so that other load on the machine affects all of them alike. Each round starts
 * with another subject. Returns the samples of each subject.
 */
export const interleave = async <Subject>(
  subjects: readonly Subject[],
  { rounds, warmUpRounds }: { readonly rounds: number; readonly warmUpRounds: number },
  measure: (subject: Subject) => Promise<number>,
): Promise<ReadonlyMap<Subject, readonly number[]>> => {
  const samples = new Map(subjects.map((subject) => [subject, [] as number[]]));
  for (let round = 0; round < warmUpRounds + rounds; round += 1) {
    const first = round % subjects.length;
    for (const subject of [...subjects.slice(first), ...subjects.slice(0, first)]) {
      const sample = await measure(subject);
      if (round >= warmUpRounds) samples.get(subject)?.push(sample);
    }
  }
  return samples;
};
