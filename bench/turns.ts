import { RATE_NOTE } from './cost/assumptions.ts';
import { type Bill, billOf, totalOf } from './cost/bill.ts';
import { type CountedTurns, countTurns, TURN_SIZES, type TurnSize } from './cost/count-turns.ts';
import { COUNTS } from './cost/counts.ts';
import { idleUsd } from './cost/fixed-costs.ts';
import { ALL_BILL_PARTS } from './cost/tables.ts';
import { PRICES_NOTE } from './prices.ts';
import type { Measurement, Table } from './report.ts';

/** How many turns of each size are counted. */
const TURNS = 200;

/** Measures what the setting `turns` adds to the cost of users' messages. */
export const measureTurns = async (): Promise<Measurement> => {
  const off = await countTurns(false, TURNS);
  const on = await countTurns(true, TURNS);
  return {
    tables: [differenceTable(off, on), usageTable(off, on)],
    charts: [],
  };
};

/** What turns add to a bill. Parts that they add nothing to are left out. */
const differenceTable = (off: CountedTurns, on: CountedTurns): Table => {
  const more = (size: TurnSize, cost: (bill: Bill) => number): number =>
    cost(billOf(on.usages[size], 0)) - cost(billOf(off.usages[size], 0));
  const row = (name: string, cost: (bill: Bill) => number): readonly string[] => [
    name,
    ...[more(1, cost), more(3, cost), 3 * more(3, cost)].map((usd) => usd.toFixed(2)),
  ];
  const parts = ALL_BILL_PARTS.map(([name, part]) => row(name, (bill) => bill[part]));
  return {
    title: 'Additional US dollars with turns',
    rows: [
      ['', 'million messages, one per turn', 'million messages, three per turn', 'million turns of three messages'],
      ...parts.filter(([, ...cells]) => cells.some((cell) => Number(cell) !== 0)),
      row('total', totalOf),
    ],
    note:
      `${PRICES_NOTE} ${RATE_NOTE} Billed milliseconds as for other events. A month without messages costs ` +
      `$${(idleUsd(on.facts) - idleUsd(off.facts)).toFixed(2)} more.`,
  };
};

/** What turns add to the usage of a message. */
const usageTable = (off: CountedTurns, on: CountedTurns): Table => ({
  title: 'Additional usage per message',
  rows: [
    ['', ...COUNTS.map(([what]) => what)],
    ...TURN_SIZES.map((size) => [
      `messages per turn: ${size}`,
      ...COUNTS.map(([, count]) => String(Number((count(on.usages[size]) - count(off.usages[size])).toFixed(2)))),
    ]),
  ],
});
