import type { Usage } from './usage.ts';

/** The parts of an event's usage that do not depend on the machine. */
export const COUNTS: readonly (readonly [name: string, count: (usage: Usage) => number])[] = [
  ['write units', ({ table }) => table.writeUnits + table.indexWriteUnits],
  ['read units', ({ table }) => table.readUnits],
  ['SQS requests', ({ fifoRequests, standardRequests }) => fifoRequests + standardRequests],
  ['invocations', ({ functions }) => [...functions.values()].reduce((sum, { invocations }) => sum + invocations, 0)],
  ['events on the bus', ({ busUnits }) => busUnits],
];
