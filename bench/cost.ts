import { totalOf } from './cost/bill.ts';
import { billFor, type Counted, countUsage } from './cost/counted.ts';
import { monthlyBill } from './cost/monthly-bill.ts';
import { PARLEY } from './cost/parley-subject.ts';
import { EVENT_KINDS, type Subject } from './cost/subject.ts';
import { billTable, callTable, memoryTable } from './cost/tables.ts';
import { TUTORIAL } from './cost/tutorial-subject.ts';
import type { Measurement } from './report.ts';

/** The stacks whose cost is counted. */
const SUBJECTS: readonly Subject[] = [PARLEY, TUTORIAL];
/** How many events of each kind are counted. */
const EVENTS = 200;

/** Measures what a million events cost, from counted calls, bytes, and milliseconds. */
export const measureCost = async (): Promise<Measurement> => {
  const counted: Counted[] = [];
  for (const subject of SUBJECTS) counted.push(await countUsage(subject, EVENTS));
  const [parley] = counted;
  return {
    ...(parley && { summary: monthlyBill(parley) }),
    tables: counted.flatMap((one) => [billTable(one), callTable(one), memoryTable(one), one.fixed]),
    charts: [
      {
        name: 'cost',
        title: 'US dollars per million events, without the event bus',
        unit: '$',
        groups: EVENT_KINDS.map((kind) => ({
          label: kind,
          bars: counted.map((one) => ({
            label: one.name,
            value: totalOf(billFor(one, kind)) - billFor(one, kind).bus,
          })),
        })),
      },
    ],
  };
};
