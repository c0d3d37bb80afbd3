import { createFunctionMeter, type FunctionUsage, sum } from './function-usage.ts';
import { accessLogBytes } from './log-lines.ts';
import { MAPPING, type MeteredCall } from './meter-proxies.ts';
import type { Meters } from './meters.ts';
import type { RunningSubject } from './subject.ts';
import { addUsage, NO_TABLE_USAGE, type TableUsage } from './table-meter.ts';
import type { TemplateFacts } from './template-facts.ts';

/** What an event used, on average. */
export interface Usage {
  readonly httpRequests: number;
  readonly accessLogBytes: number;
  /** By logical id. A function that reads the stream and a queue has two entries; that of its queue ends in `, from its queue`. */
  readonly functions: ReadonlyMap<string, FunctionUsage>;
  /** The functions' calls per event, such as `dynamodb UpdateItem`. */
  readonly calls: ReadonlyMap<string, number>;
  readonly table: TableUsage;
  readonly publishedChanges: number;
  readonly busUnits: number;
  readonly fifoRequests: number;
  readonly standardRequests: number;
  readonly secretCalls: number;
}

/** Counts what events use in a running subject. */
export const createUsageMeter = (subject: Pick<RunningSubject, 'cloud'>, facts: TemplateFacts, meters: Meters) => {
  const functionMeter = createFunctionMeter(subject, facts, meters);

  /** Runs events and returns what they used. */
  return async (events: number, run: () => Promise<void>): Promise<Usage> => {
    await meters.quiet();
    const before = functionMeter.snapshot();
    await run();
    await meters.quiet();
    const after = functionMeter.snapshot();
    const invocations = meters.invocations.slice(before.invocations, after.invocations);
    const calls = meters.calls.slice(before.calls, after.calls);
    const functions = await functionMeter.usages(events, before, after);
    const http = invocations.filter(({ trigger }) => trigger === 'http').length;
    const queues = calls.filter(({ service }) => service === 'sqs');
    const units = (of: readonly MeteredCall[]) => sum(of.map(({ billedUnits }) => billedUnits)) / events;
    const of = (service: MeteredCall['service']) => calls.filter((call) => call.service === service);
    const grouped = Map.groupBy(
      calls.filter(({ caller }) => caller !== MAPPING),
      ({ service, operation }) => `${service} ${operation}`,
    );
    const table = calls.map((call) => call.table).reduce(addUsage, NO_TABLE_USAGE);
    return {
      httpRequests: http / events,
      accessLogBytes: (http / events) * accessLogBytes(facts.accessLogFormat),
      functions,
      calls: new Map([...grouped].map(([name, group]) => [name, group.length / events])),
      table: scaled(table, 1 / events),
      publishedChanges: sum(invocations.map((one) => (one.trigger === 'stream' ? one.records.length : 0))) / events,
      busUnits: units(of('eventBridge')),
      fifoRequests: units(queues.filter(({ isFifo }) => isFifo)),
      standardRequests: units(queues.filter(({ isFifo }) => !isFifo)),
      secretCalls: of('secretsManager').length / events,
    };
  };
};

const scaled = (usage: TableUsage, factor: number): TableUsage => ({
  writeUnits: usage.writeUnits * factor,
  indexWriteUnits: usage.indexWriteUnits * factor,
  readUnits: usage.readUnits * factor,
  changes: usage.changes * factor,
  storedTableBytes: usage.storedTableBytes * factor,
  storedIndexBytes: usage.storedIndexBytes * factor,
});
