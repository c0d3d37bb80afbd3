import { ASSUMPTIONS } from './assumptions.ts';
import { invocationsPerSecond } from './batching.ts';
import { platformLogBytes } from './log-lines.ts';
import type { MeteredCall } from './meter-proxies.ts';
import { logBytes, type MeteredInvocation, type Meters } from './meters.ts';
import { functionCpuMs } from './process-time.ts';
import type { RunningSubject } from './subject.ts';
import type { FunctionFacts, TemplateFacts } from './template-facts.ts';

/** What one function did for an event, on average. */
export interface FunctionUsage {
  readonly facts: FunctionFacts;
  readonly invocations: number;
  /** Processor time of an invocation. */
  readonly cpuMs: number;
  /** Time that an invocation waits for other services. */
  readonly waitMs: number;
  /** Log bytes of an invocation: the function's own and Lambda's. */
  readonly logBytes: number;
}

/** Follows the id of a function that also reads the stream. */
const FROM_QUEUE = ', from its queue';

/** Returns how long an invocation waited: its longest series of calls that did not overlap, at assumed latencies. */
const waitMs = (calls: readonly MeteredCall[]): number => {
  let waited = 0;
  let endMs = Number.NEGATIVE_INFINITY;
  for (const call of calls.toSorted((one, other) => one.endMs - other.endMs)) {
    if (call.startMs < endMs) continue;
    waited += ASSUMPTIONS.latencyMs[call.service];
    endMs = call.endMs;
  }
  return waited;
};

const within = ({ startMs, endMs }: MeteredInvocation, call: MeteredCall): boolean =>
  call.startMs >= startMs && call.endMs <= endMs;

/** Returns the sum of numbers. */
export const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** What has happened so far. */
export interface Snapshot {
  readonly calls: number;
  readonly invocations: number;
  readonly cpuMs: ReadonlyMap<string, number>;
  readonly logBytes: ReadonlyMap<string, number>;
}

/** What one invocation of a function used, on average. */
type OneUsage = Omit<FunctionUsage, 'invocations'>;

interface Stretch {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly calls: readonly MeteredCall[];
  readonly invocations: readonly MeteredInvocation[];
}

/** Returns what an invocation of a function used between two snapshots, or undefined without invocations. */
const usageOf = (
  { name, facts }: { readonly name: string; readonly facts: FunctionFacts },
  { before, after, calls, invocations }: Stretch,
): OneUsage | undefined => {
  const count = invocations.length;
  if (count === 0) return undefined;
  const made = calls.filter(({ caller, service }) => caller === name || service === 'chatService');
  const since = (what: 'cpuMs' | 'logBytes') => ((after[what].get(name) ?? 0) - (before[what].get(name) ?? 0)) / count;
  return {
    facts,
    cpuMs: since('cpuMs'),
    logBytes: since('logBytes') + platformLogBytes(facts),
    waitMs: sum(invocations.map((one) => waitMs(made.filter((call) => within(one, call))))) / count,
  };
};

/** Measures what single functions use, in a run of events or when they are invoked again. */
export const createFunctionMeter = ({ cloud }: Pick<RunningSubject, 'cloud'>, facts: TemplateFacts, meters: Meters) => {
  const pools = [...cloud.functions].map(([id, { declaration, invoke }]) => ({ id, name: declaration.name, invoke }));
  const snapshot = (): Snapshot => ({
    calls: meters.calls.length,
    invocations: meters.invocations.length,
    cpuMs: new Map(pools.map(({ name }) => [name, functionCpuMs(name)])),
    logBytes: new Map(pools.map(({ name }) => [name, logBytes(name, cloud.logFolder)])),
  });

  const functionUsage = (
    { id, name }: (typeof pools)[number],
    before: Snapshot,
    after: Snapshot,
    invocations: readonly MeteredInvocation[],
  ): OneUsage | undefined => {
    const own = facts.functions.get(id);
    const calls = meters.calls.slice(before.calls, after.calls);
    return own && usageOf({ name, facts: own }, { before, after, calls, invocations });
  };

  /** Invokes a stream's function again with its records in batches of the size that the reference rate leads to. */
  const replay = async (pool: (typeof pools)[number], records: readonly unknown[], events: number) => {
    const batching = facts.functions.get(pool.id)?.batching;
    const perSecond = (records.length / events) * ASSUMPTIONS.eventsPerSecond;
    if (batching === undefined || records.length === 0) return undefined;
    const invocationRate = invocationsPerSecond(perSecond, batching);
    const size = Math.max(1, Math.round(perSecond / invocationRate));
    const batches = Array.from({ length: Math.ceil(records.length / size) }, (_, index) =>
      records.slice(index * size, (index + 1) * size),
    );
    const before = snapshot();
    for (const Records of batches) await meters.causing(0, () => pool.invoke(JSON.stringify({ Records })));
    await meters.quiet();
    const after = snapshot();
    const invocations = meters.invocations.slice(before.invocations, after.invocations);
    const usage = functionUsage(pool, before, after, invocations);
    return usage && { ...usage, invocations: invocationRate / ASSUMPTIONS.eventsPerSecond };
  };

  /**
   * Invokes a function again with what a queue brought, one invocation after another. In the run, it handled the stream
   * at the same time, so its processor time was that of both. What is repeated finds nothing left to change.
   */
  const replayQueue = async (pool: (typeof pools)[number], direct: readonly MeteredInvocation[], events: number) => {
    const before = snapshot();
    for (const { records: Records } of direct) {
      await meters.causing(0, () => pool.invoke(JSON.stringify({ Records })));
    }
    const after = snapshot();
    const usage = functionUsage(pool, before, after, meters.invocations.slice(before.invocations, after.invocations));
    return usage && { ...usage, invocations: direct.length / events };
  };

  /** Returns what each function used in a run, between two snapshots. */
  const usages = async (
    events: number,
    before: Snapshot,
    after: Snapshot,
  ): Promise<ReadonlyMap<string, FunctionUsage>> => {
    const invocations = meters.invocations.slice(before.invocations, after.invocations);
    const functions = new Map<string, FunctionUsage>();
    for (const pool of pools) {
      const own = invocations.filter(({ functionName }) => functionName === pool.name);
      const direct = own.filter(({ trigger }) => trigger !== 'stream');
      const records = own.filter(({ trigger }) => trigger === 'stream').flatMap((one) => one.records);
      const usage = records.length > 0 ? undefined : functionUsage(pool, before, after, direct);
      if (usage) functions.set(pool.id, { ...usage, invocations: direct.length / events });
      const fromQueue = records.length > 0 ? await replayQueue(pool, direct, events) : undefined;
      if (fromQueue) functions.set(`${pool.id}${FROM_QUEUE}`, fromQueue);
      const replayed = await replay(pool, records, events);
      if (replayed) functions.set(pool.id, replayed);
    }
    return functions;
  };

  return { snapshot, usages };
};
