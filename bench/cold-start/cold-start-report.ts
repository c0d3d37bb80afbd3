import { type Comparison, comparisonTable, formatRatio, median, medianCells } from '../comparison.ts';
import { JOBS } from '../functions/jobs.ts';
import type { Measurement, Table } from '../report.ts';
import type { ColdSubject } from './cold-subject.ts';
import type { ColdStart } from './measure-cold-start.ts';

type Starts = ReadonlyMap<ColdSubject, readonly ColdStart[]>;

const PEER_NAMES = [
  ['empty', 'empty handler'],
  ['one-client', 'one SDK client'],
] as const;
const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(0);

/** Reports the functions of Parley beside those of the tutorial, and both peers. */
export const coldStartReport = (starts: Starts): Measurement => {
  const find = (name: string, stack: string): [ColdSubject, readonly ColdStart[]] => {
    const found = [...starts].find(([subject]) => subject.name === name && subject.stack === stack);
    if (found === undefined) throw new Error(`There is no cold start of ${stack} ${name}.`);
    return found;
  };
  const compare = (sampleOf: (start: ColdStart) => number): readonly Comparison[] =>
    JOBS.map((label) => ({
      label,
      parley: find(label, 'Parley')[1].map(sampleOf),
      tutorial: find(label, 'Tutorial')[1].map(sampleOf),
    }));
  const wall = compare(({ wallMs }) => wallMs);
  const processor = compare(({ cpuMs }) => cpuMs);
  const peers = PEER_NAMES.map(([name, label]) => {
    const [{ bytes }, measured] = find(name, '');
    return { label, bytes, wall: measured.map(({ wallMs }) => wallMs), processor: measured.map(({ cpuMs }) => cpuMs) };
  });
  const floor: Table = {
    title: 'What a cold start takes at least',
    rows: [
      ['handler', 'ms', 'quartiles', 'processor ms', 'quartiles', 'index.js, KB'],
      ...peers.map(({ label, bytes, wall, processor }) => [
        label,
        ...medianCells(wall, 1),
        ...medianCells(processor, 1),
        kilobytes(bytes),
      ]),
    ],
    note: 'Bundled as Parley’s functions are. The SDK client is that of DynamoDB, and makes one write.',
  };
  const bundles: Table = {
    title: 'The code that a cold start loads',
    rows: [
      ['function', 'Parley, KB', 'tutorial, KB', 'Parley / tutorial'],
      ...JOBS.map((job) => {
        const [parley, tutorial] = [find(job, 'Parley')[0].bytes, find(job, 'Tutorial')[0].bytes];
        return [job, kilobytes(parley), kilobytes(tutorial), formatRatio(parley / tutorial)];
      }),
    ],
    note: 'The size of index.js, with the SDK in it.',
  };
  const rounds = wall[0]?.parley.length ?? 0;
  return {
    tables: [
      comparisonTable(
        {
          title: 'From the start of the process to the first answer',
          first: 'function',
          unit: 'ms',
          digits: 1,
          note: `Medians of ${rounds} rounds. A round starts every function once.`,
        },
        wall,
      ),
      comparisonTable(
        { title: 'Processor time until the first answer', first: 'function', unit: 'ms', digits: 1 },
        processor,
      ),
      floor,
      bundles,
    ],
    charts: [
      {
        name: 'cold-start',
        title: 'From the start of the process to the first answer',
        unit: 'ms',
        groups: [
          ...wall.map(({ label, parley, tutorial }) => ({
            label,
            bars: [
              { label: 'Parley', value: median(parley) },
              { label: 'Tutorial', value: median(tutorial) },
            ],
          })),
          ...peers.map(({ label, wall }) => ({ label, bars: [{ label: '', value: median(wall) }] })),
        ],
      },
    ],
  };
};
