import { randomUUID } from 'node:crypto';
import { createRunFolder } from '../local/base/run-folder.ts';
import { AUDIENCE, startIssuer } from '../test/support/issuer.ts';
import { createRandom } from '../test/support/random.ts';
import { contactAddress, pushedEvent } from './load/pushed-event.ts';
import { interleave, type Measurement, quantile, summarize, type Table } from './report.ts';
import { type FilledTable, startFilledTable, TABLE_NAME, takeSample } from './scale/filled-tables.ts';
import { limitingRate } from './scale/hot-key.ts';
import { startReceiveFunction } from './scale/receive-function.ts';
import { startTableSwitch, type TableCost } from './scale/table-switch.ts';

const SIZES = [1_000, 10_000, 100_000, 1_000_000] as const;
const BATCH = 50;
const WARM_UP_ROUNDS = 15;
const ROUNDS = 40;
const HOUR_MS = 60 * 60 * 1000;
/** The events whose calls to the table are counted. */
const COUNTED = 200;

/** The measurements with one table. */
interface Cell {
  readonly table: FilledTable;
  readonly latenciesMs: number[];
  cpuMs: readonly number[];
  cost: TableCost;
}

/**
 * Measures what an event costs the function `receive` as the number of stored messages grows. One process of the
 * function writes to every table in turn.
 *
 * @param messages The most messages to store, at least 1,000. @default 1,000,000
 */
export const measureScale = async (messages = Math.max(...SIZES)): Promise<Measurement> => {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await createRunFolder());
  const issuer = stack.use(await startIssuer(() => Math.floor(Date.now() / 1000)));
  const tableSwitch = stack.use(await startTableSwitch());
  const connection = { tableUrl: tableSwitch.url, tableName: TABLE_NAME, jwksUrl: issuer.jwksUrl };
  const receive = stack.use(startReceiveFunction({ folder, ...connection }));
  const headers = {
    authorization: `Bearer ${await issuer.sign({ aud: AUDIENCE })}`,
    'content-type': 'application/json',
  };
  const handle = async (url: string, bodies: readonly string[]) => {
    tableSwitch.connectTo(url);
    return receive.handle(bodies.map((body) => ({ headers, body, isBase64Encoded: false })));
  };

  const sample = await takeSample(folder, async (url, body) => void (await handle(url, [body])));
  const cells: Cell[] = [];
  for (const size of SIZES.filter((each) => each <= Math.max(messages, SIZES[0]))) {
    const startMs = performance.now();
    const table = stack.use(await startFilledTable(folder, size, sample));
    console.error(`${size} messages stored in ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
    const cost = { calls: {}, tableUnits: 0, indexUnits: 0, requestBytes: 0, responseBytes: 0 };
    cells.push({ table, latenciesMs: [], cpuMs: [], cost });
  }

  const random = createRandom(cells.length);
  // Every event has its own time, so that each opens its contact's window, as events at the rate of a contact do.
  let atMs = Date.now() - HOUR_MS;
  const nextTime = (): string => {
    atMs += 1;
    return new Date(atMs).toISOString();
  };
  const draw = ({ zipf }: FilledTable, count: number) =>
    Array.from({ length: count }, () => pushedEvent(randomUUID(), contactAddress(zipf.draw(random())), nextTime()));
  const measure = async ({ table, latenciesMs }: Cell): Promise<number> => {
    const result = await handle(table.url, draw(table, BATCH));
    for (const latency of result.latenciesMs) latenciesMs.push(latency);
    return result.cpuMs / BATCH;
  };
  await interleave(cells, { rounds: WARM_UP_ROUNDS, warmUpRounds: 0 }, measure);
  for (const { latenciesMs } of cells) latenciesMs.length = 0;
  const samples = await interleave(cells, { rounds: ROUNDS, warmUpRounds: 0 }, measure);
  for (const cell of cells) {
    cell.cpuMs = samples.get(cell) ?? [];
    cell.cost = await tableSwitch.costOf(async () => void (await handle(cell.table.url, draw(cell.table, COUNTED))));
  }
  return report(cells);
};

const count = (value: number): string => Math.round(value).toLocaleString('en-US');
const perEvent = (value: number): string => (value / COUNTED).toFixed(2);

const report = (cells: readonly Cell[]): Measurement => {
  const cost: Table = {
    title: 'The cost of an event, by the number of stored messages',
    rows: [
      [
        'stored messages',
        'processor ms',
        'quartiles',
        'p50 ms',
        'p99 ms',
        'calls',
        'units, table',
        'units, index',
        'bytes out',
        'bytes in',
      ],
      ...cells.map(({ table, cpuMs, latenciesMs, cost: { calls, ...cost } }) => {
        const { median, lowerQuartile, upperQuartile } = summarize(cpuMs);
        return [
          count(table.messages),
          median.toFixed(3),
          `${lowerQuartile.toFixed(3)}–${upperQuartile.toFixed(3)}`,
          quantile(latenciesMs, 0.5).toFixed(2),
          quantile(latenciesMs, 0.99).toFixed(2),
          Object.entries(calls)
            .map(([name, times]) => `${perEvent(times)} ${name}`)
            .join(', '),
          perEvent(cost.tableUnits),
          perEvent(cost.indexUnits),
          count(cost.requestBytes / COUNTED),
          count(cost.responseBytes / COUNTED),
        ];
      }),
    ],
    note: 'The processor time is that of the function alone. The tables have no stream, and each has an emulator of its own.',
  };
  const hot: Table = {
    title: 'The hottest key, if contacts write by Zipf’s law',
    rows: [
      ['stored messages', 'contacts', 'of the draws', 'of all events', 'events/s at 1,000 WRU/s'],
      ...cells.map(({ table }) => [
        count(table.messages),
        count(table.contacts),
        `${(table.hottestShare * 100).toFixed(2)} %`,
        `${(table.zipf.hottestShare * 100).toFixed(2)} %`,
        count(limitingRate(table.hottestShare, UNITS_PER_HOT_WRITE)),
      ]),
    ],
    note:
      'An event writes one unit to its contact’s item, and one to the contact’s partition of the index. No other key is ' +
      'written twice by different messages.',
  };
  return {
    tables: [cost, hot],
    charts: [
      {
        name: 'scale-cost',
        title: 'Processor time per event',
        unit: 'ms',
        groups: cells.map((cell) => ({
          label: `${count(cell.table.messages)} messages`,
          bars: [{ label: 'Parley', value: quantile(cell.cpuMs, 0.5) }],
        })),
      },
    ],
  };
};

/** A write of an item of up to 1 KB, or of its entry in an index. */
const UNITS_PER_HOT_WRITE = 1;
