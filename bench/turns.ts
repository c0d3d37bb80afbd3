import { RATE_NOTE } from './cost/assumptions.ts';
import { type Bill, billOf, totalOf } from './cost/bill.ts';
import { type CountedTurns, countTurns, TURN_SIZES, type TurnSize } from './cost/count-turns.ts';
import { COUNTS } from './cost/counts.ts';
import { idleUsd } from './cost/fixed-costs.ts';
import { ALL_BILL_PARTS, countTable } from './cost/tables.ts';
import { PRICES_CHECKED, PRICES_REGION } from './prices.ts';
import type { Report, Table } from './report.ts';

/** How many turns of each size are counted. */
const TURNS = 200;

/** Measures what the setting `turns` adds to the cost of users' messages. */
export const measureTurns = async (): Promise<Pick<Report, 'tables' | 'charts' | 'figures'>> => {
  const off = await countTurns(false, TURNS);
  const on = await countTurns(true, TURNS);
  return {
    tables: [
      differenceTable(off, on),
      countTable('Counted per message', on.facts, [
        ['turns off, one in a row', off.usages[1]],
        ['turns on, one per turn', on.usages[1]],
        ['turns off, three in a row', off.usages[3]],
        ['turns on, three per turn', on.usages[3]],
      ]),
    ],
    charts: [],
    figures: {
      ...Object.fromEntries(
        TURN_SIZES.flatMap((size) =>
          COUNTS.map(([name, count]) => [
            `${name} per message, ${size} per turn`,
            count(on.usages[size]) - count(off.usages[size]),
          ]),
        ),
      ),
      'dollars a month without any message': idleUsd(on.facts) - idleUsd(off.facts),
    },
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
    title: `Additional US dollars with turns (list prices of ${PRICES_REGION}, ${PRICES_CHECKED})`,
    rows: [
      ['', 'million messages, one per turn', 'million messages, three per turn', 'million turns of three messages'],
      ...parts.filter(([, ...cells]) => cells.some((cell) => Number(cell) !== 0)),
      row('total', totalOf),
    ],
    note: `${RATE_NOTE} Billed milliseconds as for other events.`,
  };
};
