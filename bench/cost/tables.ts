import { PRICES_NOTE } from '../prices.ts';
import type { Table } from '../report.ts';
import { ASSUMPTIONS, DURATION_NOTE, RATE_NOTE } from './assumptions.ts';
import { type Bill, billedMs, durationCost, fullStorageCost, logBytesOf, storageCost, totalOf } from './bill.ts';
import { billFor, type Counted, usageFor } from './counted.ts';
import type { FunctionUsage } from './function-usage.ts';
import { EVENT_KINDS } from './subject.ts';
import type { Usage } from './usage.ts';

const MEMORY_SIZES = [256, 512, 1024, 1769];

const BILL_PARTS: readonly (readonly [name: string, part: keyof Bill])[] = [
  ['HTTP API', 'api'],
  ['Lambda requests', 'requests'],
  ['Lambda duration', 'duration'],
  ['table writes', 'tableWrites'],
  ['table reads', 'tableReads'],
  ['queues', 'queues'],
  ['secrets', 'secrets'],
  ['logs', 'logs'],
  ['traces', 'traces'],
];

/** All parts of a bill. */
export const ALL_BILL_PARTS: typeof BILL_PARTS = [...BILL_PARTS, ['event bus', 'bus']];

const dollars = (usd: number): string => usd.toFixed(2);

export const billTitle = (stack: string): string => `${stack}: US dollars per million events`;

/** What a million events cost, by part. */
export const billTable = (one: Counted): Table => {
  const bills = EVENT_KINDS.map((kind) => billFor(one, kind));
  const row = (name: string, value: (bill: Bill) => number) => [name, ...bills.map((bill) => dollars(value(bill)))];
  const usages = EVENT_KINDS.map((kind) => usageFor(one, kind));
  return {
    title: billTitle(one.name),
    rows: [
      ['', ...EVENT_KINDS],
      ...BILL_PARTS.map(([name, part]) => row(name, (bill) => bill[part])),
      row('total without the event bus', (bill) => totalOf(bill) - bill.bus),
      row('event bus', ({ bus }) => bus),
      row('total', totalOf),
      ['log bytes per event', ...usages.map((usage) => logBytesOf(usage).toFixed(0))],
      ['storage with backup, a month', ...usages.map((usage) => dollars(storageCost(usage)))],
      [
        `storage with backup, the ${one.retentionDays} days of retention`,
        ...usages.map((usage) => dollars(fullStorageCost(usage, one.retentionDays))),
      ],
    ],
    note: `${PRICES_NOTE} ${RATE_NOTE} ${DURATION_NOTE}`,
  };
};

/** What was counted. */
export const callTable = (one: Counted): Table => {
  const usages = EVENT_KINDS.map((kind) => usageFor(one, kind));
  const row = (name: string, value: (usage: Usage) => number, digits = 2) => [
    name,
    ...usages.map((usage) => value(usage).toFixed(digits)),
  ];
  const names = new Set(usages.flatMap(({ calls }) => [...calls.keys()]));
  return {
    title: `${one.name}: counted per event`,
    rows: [
      ['', ...EVENT_KINDS],
      row('HTTP API requests', ({ httpRequests }) => httpRequests),
      // How many calls publish the events depends on the batches of this run.
      ...[...names]
        .filter((name) => !name.startsWith('eventBridge'))
        .toSorted()
        .map((name) => row(name, ({ calls }) => calls.get(name) ?? 0)),
      row('SQS requests, FIFO', ({ fifoRequests }) => fifoRequests),
      row('write request units, table', ({ table }) => table.writeUnits),
      row('write request units, indexes', ({ table }) => table.indexWriteUnits),
      row('read request units', ({ table }) => table.readUnits),
      row('changes on the stream', ({ table }) => table.changes),
      row('changes after the filter', ({ publishedChanges }) => publishedChanges),
      row('events on the bus, of 64 KB', ({ busUnits }) => busUnits),
      row('stored bytes, table', ({ table }) => table.storedTableBytes, 0),
      row('stored bytes, indexes', ({ table }) => table.storedIndexBytes, 0),
      row('log bytes, access log', ({ accessLogBytes }) => accessLogBytes, 0),
      ...[...one.facts.functions].flatMap(([id, { memoryMb }]) => {
        if (usages.every(({ functions }) => !functions.has(id))) return [];
        const of = (value: (usage: FunctionUsage) => number, digits: number, name: string) =>
          row(`${id}: ${name}`, ({ functions }) => orZero(functions.get(id), value), digits);
        return [
          of(({ invocations }) => invocations, 2, 'invocations'),
          of(({ cpuMs }) => cpuMs, 2, 'processor ms per invocation'),
          of(({ waitMs }) => waitMs, 1, 'waiting ms per invocation'),
          of((usage) => billedMs(usage, memoryMb), 0, `billed ms per invocation, ${memoryMb} MB`),
          of(({ logBytes }) => logBytes, 0, 'log bytes per invocation'),
        ];
      }),
    ],
    note: 'Changes are published in batches of the size that the reference rate leads to. Calls are those of functions.',
  };
};

const orZero = (usage: FunctionUsage | undefined, value: (usage: FunctionUsage) => number): number =>
  usage ? value(usage) : 0;

/** What another memory size of the function behind the webhook would cost for an inbound message. */
export const memoryTable = (one: Counted): Table => {
  const usage = usageFor(one, 'inbound message');
  const [id = '', receive] =
    [...usage.functions].toSorted(([, a], [, b]) => Number(!!a.facts.batching) - Number(!!b.facts.batching))[0] ?? [];
  const rows = receive
    ? MEMORY_SIZES.map((memoryMb) => [
        `${memoryMb} MB${memoryMb === receive.facts.memoryMb ? ' (as deployed)' : ''}`,
        String(billedMs(receive, memoryMb)),
        dollars(receive.invocations * durationCost(receive, memoryMb, receive.facts.isArm)),
      ])
    : [];
  return {
    title: `${one.name}: memory sizes of ${id}, per inbound message`,
    rows: [['memory', 'billed ms, warm', '$ per million'], ...rows],
    note: `At ${ASSUMPTIONS.eventsPerSecond} messages per second; the duration only.`,
  };
};
