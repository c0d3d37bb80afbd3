import { describe, expect, it } from 'vitest';
import { invocationsPerSecond } from '../../../bench/cost/batching.ts';
import { billedMs, billOf, durationCost, totalOf } from '../../../bench/cost/bill.ts';
import { idleUsd } from '../../../bench/cost/fixed-costs.ts';
import { accessLogBytes, platformLogBytes } from '../../../bench/cost/log-lines.ts';
import { NO_TABLE_USAGE } from '../../../bench/cost/table-meter.ts';
import { type FunctionFacts, readFacts } from '../../../bench/cost/template-facts.ts';
import type { Usage } from '../../../bench/cost/usage.ts';

const FACTS: FunctionFacts = {
  memoryMb: 1024,
  isArm: true,
  logsJson: true,
  logsPlatform: true,
  isTraced: false,
  batching: undefined,
};
const usage = (changes: Partial<Usage> = {}): Usage => ({
  httpRequests: 1,
  accessLogBytes: 0,
  functions: new Map([['Receive', { facts: FACTS, invocations: 1, cpuMs: 4, waitMs: 5, logBytes: 1024 }]]),
  calls: new Map(),
  table: NO_TABLE_USAGE,
  publishedChanges: 0,
  busUnits: 0,
  fifoRequests: 0,
  standardRequests: 0,
  secretCalls: 0,
  ...changes,
});

describe('the billed duration', () => {
  it('is the processor time at the share of a vCPU and the wait, rounded up', () => {
    expect(billedMs({ cpuMs: 4, waitMs: 5 }, 1769)).toBe(9);
    expect(billedMs({ cpuMs: 4, waitMs: 5 }, 884.5)).toBe(13);
    expect(billedMs({ cpuMs: 4.1, waitMs: 5 }, 1769)).toBe(10);
  });

  it('does not shrink above one vCPU, because a handler runs in one thread', () => {
    expect(billedMs({ cpuMs: 4, waitMs: 5 }, 3538)).toBe(9);
  });

  it('costs the price of a GB-second', () => {
    expect(durationCost({ cpuMs: 0, waitMs: 1000 }, 1024, true)).toBeCloseTo(13.3334);
    expect(durationCost({ cpuMs: 0, waitMs: 1000 }, 1024, false)).toBeCloseTo(16.6667);
  });
});

describe('a bill', () => {
  it('multiplies what an event used by the prices of a million', () => {
    const table = { ...NO_TABLE_USAGE, writeUnits: 3, indexWriteUnits: 1, readUnits: 2 };
    const bill = billOf(usage({ table, busUnits: 1, fifoRequests: 2 }), 1);
    expect(bill).toMatchObject({ api: 1, requests: 0.2, tableWrites: 2.5, tableReads: 0.25, queues: 1.5, bus: 1 });
    // A million times 1,024 bytes.
    expect(bill.logs).toBeCloseTo(0.4768, 4);
    expect(totalOf(bill)).toBeCloseTo(Object.values(bill).reduce((sum, part) => sum + part, 0));
  });
});

it('counts the traces that X-Ray samples by default of traced functions alone', () => {
  const traced = { facts: { ...FACTS, isTraced: true }, invocations: 1, cpuMs: 4, waitMs: 5, logBytes: 0 };
  expect(billOf(usage(), 0).traces).toBe(0);
  // One of the ten requests of a second, and 5% of the other nine.
  expect(billOf(usage({ functions: new Map([['Receive', traced]]) }), 0).traces).toBeCloseTo(0.145 * 5);
});

describe('invocations for the records of a stream', () => {
  const batching = { batchSize: 100, windowSeconds: 0 };

  it('follow the polls that find a record', () => {
    expect(invocationsPerSecond(0, batching)).toBe(0);
    // One in a long time: each has an invocation of its own.
    expect(invocationsPerSecond(0.001, batching)).toBeCloseTo(0.001, 5);
    // Four polls per second on four shards find something nearly always.
    expect(invocationsPerSecond(400, batching)).toBeCloseTo(16, 1);
  });

  it('follow the batch size if a poll finds more than a batch', () => {
    expect(invocationsPerSecond(10_000, batching)).toBe(100);
  });

  it('are at most one per window and shard', () => {
    expect(invocationsPerSecond(400, { batchSize: 10_000, windowSeconds: 1 })).toBeCloseTo(4, 0);
    expect(invocationsPerSecond(20, { batchSize: 100, windowSeconds: 1 })).toBeCloseTo(4 / 1.2);
  });
});

describe('log lines', () => {
  it("count Lambda's own lines unless the system log level is WARN", () => {
    expect(platformLogBytes(FACTS)).toBeGreaterThan(200);
    expect(platformLogBytes({ ...FACTS, logsPlatform: false })).toBe(0);
  });

  it('render the access log with values', () => {
    expect(accessLogBytes('{"status":"$context.status"}')).toBe('{"status":"200"}\n'.length);
    expect(accessLogBytes(undefined)).toBe(0);
  });
});

describe('the facts of a template', () => {
  const STREAM = { 'Fn::GetAtt': ['Table', 'StreamArn'] };
  const mapping = {
    FunctionName: { Ref: 'Publish' },
    EventSourceArn: STREAM,
    StartingPosition: 'TRIM_HORIZON',
    BatchSize: 50,
  };
  const factsOf = (LoggingConfig: object, more: object = {}) =>
    readFacts({
      Resources: {
        Publish: { Type: 'AWS::Lambda::Function', Properties: { MemorySize: 256, LoggingConfig } },
        Mapping: { Type: 'AWS::Lambda::EventSourceMapping', Properties: { ...mapping, ...more } },
      },
    }).functions.get('Publish');

  it('include the batching of a stream and the level of the system log', () => {
    expect(factsOf({ LogFormat: 'JSON' })).toMatchObject({
      memoryMb: 256,
      isArm: false,
      logsPlatform: true,
      batching: { batchSize: 50, windowSeconds: 0 },
    });
    const quiet = factsOf({ LogFormat: 'JSON', SystemLogLevel: 'WARN' }, { MaximumBatchingWindowInSeconds: 2 });
    expect(quiet).toMatchObject({ logsPlatform: false, batching: { batchSize: 50, windowSeconds: 2 } });
  });
});

describe('a month without events', () => {
  const mapping = (queue: string) => ({
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { FunctionName: { Ref: 'Send' }, EventSourceArn: { 'Fn::GetAtt': [queue, 'Arn'] } },
  });
  const idle = (Resources: object) => idleUsd(readFacts({ Resources }));
  const alarm = { Type: 'AWS::CloudWatch::Alarm' };
  const queues = {
    Standard: { Type: 'AWS::SQS::Queue' },
    Fifo: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
  };

  it('costs alarms and empty receives, at the price of the type of queue', () => {
    expect(idle(queues)).toBe(0);
    expect(idle({ alarm, other: alarm })).toBeCloseTo(0.2);
    // Five pollers, each every 20 seconds for 730 hours.
    expect(idle({ ...queues, mapping: mapping('Standard') })).toBeCloseTo(0.657 * 0.4);
    expect(idle({ ...queues, mapping: mapping('Fifo') })).toBeCloseTo(0.657 * 0.5);
  });

  it('costs no custom metrics, which CloudWatch bills only once they occur', () => {
    expect(idle({ filter: { Type: 'AWS::Logs::MetricFilter' } })).toBe(0);
  });
});
