import { ASSUMPTIONS, RATE_NOTE } from './cost/assumptions.ts';
import { billOf } from './cost/bill.ts';
import {
  type CountedOption,
  countOption,
  OPTION_EVENTS,
  type Option,
  type OptionEventName,
} from './cost/count-options.ts';
import { COUNTS } from './cost/counts.ts';
import { idleUsd } from './cost/fixed-costs.ts';
import { ALL_BILL_PARTS } from './cost/tables.ts';
import type { Usage } from './cost/usage.ts';
import { PRICES_NOTE } from './prices.ts';
import type { Measurement, Table } from './report.ts';

/** How many events of each kind are counted. */
const EVENTS = 100;

/** Each event in a stage with an option, and the event in a stage without options that it is compared with. */
const COMPARED = [
  ['keywords: keyword', 'keywords', 'keyword', 'keyword'],
  ['keywords: opt-out delivered again', 'keywords', 'keyword delivered again', 'keyword delivered again'],
  ['keywords: other message', 'keywords', 'message', 'message'],
  ['keywords with confirmation: opt-out', 'keywords with confirmation', 'keyword and confirmation', 'keyword'],
  ["operators: operator's message", 'operators', "operator's message", "operator's message"],
  ['operators: automated send', 'operators', 'automated send', 'automated send'],
  ['operators: other send', 'operators', 'send', 'send'],
  ['operators: other message', 'operators', 'message', 'message'],
  ['unless: send', 'off', 'send with unless', 'send'],
  ['bulk queue: bulk send', 'bulk queue', 'bulk send', 'send'],
  ['bulk queue: other send', 'bulk queue', 'send', 'send'],
] as const satisfies readonly (readonly [string, Option, OptionEventName, OptionEventName])[];

/** What an event used with an option and without it. */
interface Pair {
  readonly name: string;
  readonly event: OptionEventName;
  readonly base: OptionEventName;
  readonly on: Usage;
  readonly off: Usage;
}

/** Measures what keywords, operators, conditions, and the bulk queue add to the cost of messages. */
export const measureOptions = async (): Promise<Measurement> => {
  const inOff = COMPARED.flatMap(([, option, event, base]) => (option === 'off' ? [base, event] : [base]));
  const off = await countOption('off', new Set(inOff), EVENTS);
  const on = new Map<Option, CountedOption>();
  for (const [option, rows] of Map.groupBy(COMPARED, ([, option]) => option)) {
    const events = rows.map(([, , event]) => event);
    if (option !== 'off') on.set(option, await countOption(option, new Set(events), EVENTS));
  }
  const pairs = COMPARED.map(([name, option, event, base]): Pair => {
    return { name, event, base, on: usageOf(on.get(option) ?? off, event), off: usageOf(off, base) };
  });
  return {
    tables: [addedTable(pairs), usageTable(pairs), idleTable(off, on)],
    charts: [],
  };
};

const usageOf = ({ usages }: CountedOption, event: OptionEventName): Usage => {
  const usage = usages.get(event);
  if (usage === undefined) throw new Error(`"${event}" was not counted.`);
  return usage;
};

const rounded = (number: number): number => Number(number.toFixed(2));

const billFor = (usage: Usage, event: OptionEventName) => billOf(usage, OPTION_EVENTS[event].producerRequests);

/** All assumed latencies are multiples of this one. */
const SHORTEST_MS = ASSUMPTIONS.latencyMs.dynamodb;

/**
 * Returns a usage without what a run adds by chance: retries, calls that do not overlap on a busy machine, and the
 * reads of the circuit breaker every few seconds. If a function also ran in the other usage, its processor time is
 * taken from there.
 */
const steady = (usage: Usage, { functions }: Usage): Usage => ({
  ...usage,
  functions: new Map(
    [...usage.functions].map(([id, one]) => [
      id,
      {
        ...one,
        cpuMs: functions.get(id)?.cpuMs ?? one.cpuMs,
        waitMs: SHORTEST_MS * Math.round(one.waitMs / SHORTEST_MS),
      },
    ]),
  ),
  table: {
    ...usage.table,
    writeUnits: Math.round(usage.table.writeUnits),
    indexWriteUnits: Math.round(usage.table.indexWriteUnits),
    readUnits: Math.round(usage.table.readUnits),
  },
});

/** What options add to a bill. Parts that none of them adds anything to are left out. */
const addedTable = (pairs: readonly Pair[]): Table => {
  const rows = pairs.map(({ name, event, base, on, off }) => {
    const [bill, without] = [billFor(steady(on, off), event), billFor(steady(off, off), base)];
    const parts = ALL_BILL_PARTS.map(([, part]) => rounded(bill[part] - without[part]));
    // The sum of the rounded parts. This leaves out fractions of a cent for log lines of a different length.
    return [name, ...[...parts, parts.reduce((sum, part) => sum + part, 0)].map(dollars)];
  });
  const isShown = (column: number) => rows.some((row) => column === 0 || Number(row[column]) !== 0);
  const all = [['', ...ALL_BILL_PARTS.map(([part]) => part), 'total'], ...rows];
  return {
    title: 'Additional US dollars per million events',
    rows: all.map((row) => row.filter((_, column) => isShown(column))),
    note:
      `${PRICES_NOTE} ${RATE_NOTE} Billed milliseconds are calculated as for other events, except that a function is assumed to use ` +
      'the same processor time with and without an option, because the measured difference is mostly noise: where an ' +
      `option adds nothing, the cost of the duration differed by up to $${dollars(durationNoise(pairs))} per million ` +
      'between two runs.',
  };
};

/** What an option adds to the usage of an event. */
const usageTable = (pairs: readonly Pair[]): Table => ({
  title: 'Additional usage per event',
  rows: [
    ['', ...COUNTS.map(([what]) => what)],
    ...pairs.map(({ name, on, off }) => [name, ...COUNTS.map(([, count]) => String(rounded(count(on) - count(off))))]),
  ],
});

const idleTable = (off: CountedOption, on: ReadonlyMap<Option, CountedOption>): Table => ({
  title: 'Additional US dollars per month without any event',
  rows: [
    ['', '$ per month'],
    ...[...on].map(([option, { facts }]) => [option, dollars(idleUsd(facts) - idleUsd(off.facts))]),
  ],
});

/** Returns by how much the cost of the same event's duration differs between two runs, in dollars per million. */
const durationNoise = (pairs: readonly Pair[]): number => {
  const same = pairs.filter(({ on, off }) => COUNTS.every(([, count]) => Math.abs(count(on) - count(off)) < 0.1));
  return Math.max(
    ...same.map(({ event, base, on, off }) => Math.abs(billFor(on, event).duration - billFor(off, base).duration)),
  );
};

const dollars = (usd: number): string => rounded(usd).toFixed(2);
