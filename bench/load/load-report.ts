import { type Measurement, quantile, type Table } from '../report.ts';
import type { BenchCloud } from './bench-cloud.ts';

/** The measurements of one stack with one number of concurrent requests. */
export interface LoadCell {
  readonly cloud: BenchCloud;
  readonly clients: number;
  readonly latenciesMs: number[];
  errors: number;
  /** Events per second, the median of the rounds. */
  perSecond: number;
}

export interface LoadTotals {
  /** How many of the posted events are not stored exactly once. */
  readonly lost: ReadonlyMap<BenchCloud, number>;
  /** Sends per second, the median of the rounds. */
  readonly sends: ReadonlyMap<BenchCloud, number>;
  readonly sendCount: number;
}

/** Reports the first stack beside the others. */
export const loadReport = (
  clouds: readonly BenchCloud[],
  cells: readonly LoadCell[],
  { lost, sends, sendCount }: LoadTotals,
): Measurement => {
  const levels = [...new Set(cells.map(({ clients }) => clients))];
  const cellOf = (cloud: BenchCloud | undefined, clients: number) =>
    cells.find((cell) => cell.cloud === cloud && cell.clients === clients);
  const [own, ...peers] = clouds;
  const ratiosTo = (peer: BenchCloud, clients: number) => {
    const [ours, theirs] = [cellOf(own, clients), cellOf(peer, clients)];
    return {
      perSecond: (ours?.perSecond ?? Number.NaN) / (theirs?.perSecond ?? Number.NaN),
      p99: p99Of(ours) / p99Of(theirs),
    };
  };
  const answers: Table = {
    title: 'The webhook under load',
    rows: [
      ['concurrent requests, stack', 'events/s', 'p50 ms', 'p99 ms', 'p99.9 ms', 'posts', 'errors'],
      ...levels.flatMap((clients) => [
        ...cells.filter((cell) => cell.clients === clients).map(rowOf),
        ...peers.map((peer) => {
          const { perSecond, p99 } = ratiosTo(peer, clients);
          return [`${clients}, ${own?.name} / ${peer.name}`, times(perSecond), '', times(p99), '', '', ''];
        }),
      ]),
    ],
    note: clouds.map((cloud) => `${cloud.name}: ${lost.get(cloud)} events lost or stored twice.`).join(' '),
  };
  const sendsOf = (cloud: BenchCloud | undefined): number => (cloud && sends.get(cloud)) ?? Number.NaN;
  const sending: Table = {
    title: 'Sends through the queue',
    rows: [
      ['stack', 'sends/s'],
      ...clouds.map((cloud) => [cloud.name, sendsOf(cloud).toFixed(0)]),
      ...peers.map((peer) => [`${own?.name} / ${peer.name}`, times(sendsOf(own) / sendsOf(peer))]),
    ],
    note: `Medians of rounds of ${sendCount} sends.`,
  };
  const groups = (value: (cell: LoadCell) => number) =>
    levels.map((clients) => ({
      label: `${clients} at once`,
      bars: cells
        .filter((cell) => cell.clients === clients)
        .map((cell) => ({ label: cell.cloud.name, value: value(cell) })),
    }));
  const [events, p99] = [groups(({ perSecond }) => perSecond), groups(p99Of)];
  return {
    tables: [answers, sending],
    charts: [
      { name: 'load-events', title: 'Events acknowledged per second', unit: 'events/s', groups: events },
      { name: 'load-p99', title: 'Time to answer, 99th percentile', unit: 'ms', groups: p99 },
    ],
  };
};

const p99Of = (cell: LoadCell | undefined): number => quantile(cell?.latenciesMs ?? [], 0.99);

const times = (ratio: number): string => `×${ratio.toFixed(2)}`;

const rowOf = ({ cloud, clients, latenciesMs, errors, perSecond }: LoadCell): readonly string[] => [
  `${clients}, ${cloud.name}`,
  perSecond.toFixed(0),
  ...[0.5, 0.99, 0.999].map((fraction) => quantile(latenciesMs, fraction).toFixed(1)),
  String(latenciesMs.length),
  String(errors),
];
