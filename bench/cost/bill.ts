import { PRICES } from '../prices.ts';
import { ASSUMPTIONS, TRACED_SHARE } from './assumptions.ts';
import type { FunctionUsage } from './function-usage.ts';
import type { Usage } from './usage.ts';

/** The parts of a bill, in dollars per million events. */
export interface Bill {
  readonly api: number;
  readonly requests: number;
  readonly duration: number;
  readonly tableWrites: number;
  readonly tableReads: number;
  readonly queues: number;
  readonly secrets: number;
  readonly logs: number;
  readonly traces: number;
  readonly bus: number;
}

const MB_PER_GB = 1024;
const BYTES_PER_GB = 1024 ** 3;
const MILLION = 1e6;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Returns the billed milliseconds of an invocation with this much memory. */
export const billedMs = ({ cpuMs, waitMs }: Pick<FunctionUsage, 'cpuMs' | 'waitMs'>, memoryMb: number): number =>
  Math.ceil(cpuMs / Math.min(1, memoryMb / ASSUMPTIONS.memoryMbPerVcpu) + waitMs);

/** Returns the dollars for the duration of a million invocations. */
export const durationCost = (
  usage: Pick<FunctionUsage, 'cpuMs' | 'waitMs'>,
  memoryMb: number,
  isArm: boolean,
): number => {
  const gbSeconds = ((billedMs(usage, memoryMb) / 1000) * memoryMb) / MB_PER_GB;
  return gbSeconds * MILLION * (isArm ? PRICES.lambdaArm64 : PRICES.lambdaX86).usd;
};

/** Returns the bytes that an event adds to all logs. */
export const logBytesOf = ({ functions, accessLogBytes }: Usage): number =>
  accessLogBytes + sum([...functions.values()].map(({ invocations, logBytes }) => invocations * logBytes));

/** A queue's requests besides those that functions and mappings make: the one that put the event on it. */
export const billOf = (usage: Usage, producerRequests: number): Bill => {
  const functions = [...usage.functions.values()];
  const of = (cost: (one: FunctionUsage) => number) => sum(functions.map((one) => one.invocations * cost(one)));
  return {
    api: usage.httpRequests * PRICES.httpApi.usd,
    requests: of(() => PRICES.lambdaRequests.usd),
    duration: of((one) => durationCost(one, one.facts.memoryMb, one.facts.isArm)),
    tableWrites: (usage.table.writeUnits + usage.table.indexWriteUnits) * PRICES.tableWrites.usd,
    tableReads: usage.table.readUnits * PRICES.tableReads.usd,
    queues:
      (usage.fifoRequests + producerRequests) * PRICES.fifoQueue.usd +
      usage.standardRequests * PRICES.standardQueue.usd,
    secrets: usage.secretCalls * PRICES.secretCalls.usd,
    logs: ((logBytesOf(usage) * MILLION) / BYTES_PER_GB) * PRICES.logs.usd,
    traces: of(({ facts }) => (facts.isTraced ? TRACED_SHARE * PRICES.traces.usd : 0)),
    bus: usage.busUnits * PRICES.bus.usd,
  };
};

export const totalOf = (bill: Bill): number => sum(Object.values(bill));

/** Returns the dollars per month for what a million events leave in the table, with its backup. */
export const storageCost = ({ table }: Usage): number =>
  ((table.storedTableBytes * (PRICES.tableStorage.usd + PRICES.tableBackup.usd) +
    table.storedIndexBytes * PRICES.tableStorage.usd) *
    MILLION) /
  BYTES_PER_GB;

const DAYS_PER_MONTH = 365 / 12;

/** Returns the monthly cost of storage for a million events a month, once as much expires as is added. */
export const fullStorageCost = (usage: Usage, retentionDays: number): number =>
  (storageCost(usage) * retentionDays) / DAYS_PER_MONTH;
