import { fullStorageCost, totalOf } from './bill.ts';
import { billFor, type Counted, usageFor } from './counted.ts';
import type { EventKind } from './subject.ts';

/** Messages a month. */
const VOLUMES = [0, 1_000, 10_000, 100_000, 1_000_000, 10_000_000] as const;

/** Returns a table of what a stage costs a month after its full retention period, by messages a month. */
export const monthlyBill = (counted: Counted): readonly (readonly string[])[] => {
  const events = perMessage((kind) => totalOf(billFor(counted, kind)));
  const storage = perMessage((kind) => fullStorageCost(usageFor(counted, kind), counted.retentionDays));
  const idle = Number(counted.fixed.rows.at(-1)?.at(-1));
  return [
    ['messages a month', '$ a month', 'of which storage'],
    ...VOLUMES.map((messages) => [
      messages.toLocaleString('en-US'),
      (idle + (events + storage) * messages).toFixed(2),
      (storage * messages).toFixed(2),
    ]),
  ];
};

/** Returns the cost of an average message: half are received, and half are sent and then delivered and read. */
const perMessage = (perMillion: (kind: EventKind) => number): number =>
  (perMillion('inbound message') + perMillion('send, free-form') + 2 * perMillion('status')) / 2 / 1_000_000;
