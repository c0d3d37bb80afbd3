import { setTimeout as pause } from 'node:timers/promises';
import type { ChaosStage } from './chaos-stage.ts';
import { type FaultCounts, functionPart } from './fault-counts.ts';
import type { ChaosConnections } from './interpose.ts';
import { KILLED, type KilledFunction, type PartName, SANDBOX, type SandboxFault } from './parts.ts';
import type { FaultStep } from './plan.ts';
import type { Recorder } from './recorder.ts';

export interface InjectionOptions {
  readonly stage: ChaosStage;
  readonly connections: ChaosConnections;
  readonly counts: FaultCounts;
  readonly recorder: Recorder;
  /** Aborted when the load ends. */
  readonly ended: AbortSignal;
}

/** How long to wait for a process that is handling an invocation. */
const VICTIM_MS = 2_000;
const VICTIM_POLL_MS = 2;
/** How much an outage is extended if no call was made during it. */
const MAX_UNNOTICED_MS = 60_000;

const error = (code: number) => ({ error: { code, message: 'Injected by the chaos run.' } });

/** The requests to the sandbox's control API, by fault. */
const SANDBOX_REQUESTS: Readonly<Record<SandboxFault, Readonly<Record<string, unknown>>>> = {
  'deliveries doubled': { deliveries: { double: true } },
  'deliveries held': { deliveries: { holdMs: 3_000 } },
  'deliveries reversed': { deliveries: { reverse: true } },
  'answer 502': { answers: { status: 502 } },
  'answer 500 after accepting': { answers: { status: 500, accept: true } },
  'answer 503': { answers: { status: 503 } },
  'answer without an id': { answers: { endpoint: 'intent/v2', body: {}, accept: true } },
  'answer unreadable': { answers: { endpoint: 'message/v3', status: 200, body: '<html>', accept: true } },
  'answer 201: window closed': { answers: { endpoint: 'message/v3', status: 403, body: error(201) } },
  'answer 101: no credit': { answers: { status: 403, body: error(101) } },
  'answer 401': { answers: { status: 401, body: 'Unauthorized' } },
  problems: { answers: { body: { problems: { code: 304, message: 'Invalid channel' }, result: {} } } },
  'reset before accepting': { answers: { reset: 'before' } },
  'reset after accepting': { answers: { reset: 'after' } },
};

/** Injects the planned faults at their times until the load ends. No outage outlasts the load. */
export const injectFaults = async (steps: readonly FaultStep[], options: InjectionOptions): Promise<void> => {
  const { ended, connections } = options;
  const startedMs = performance.now();
  const running: Promise<void>[] = [];
  const lastOutage = new Map<PartName, Promise<void>>();
  connections.setActive(true);
  for (const step of steps) {
    await pause(Math.max(0, startedMs + step.atMs - performance.now()), undefined, { signal: ended }).catch(
      () => undefined,
    );
    if (ended.aborted) break;
    const previous = step.kind === 'outage' ? lastOutage.get(step.part) : undefined;
    // A part has one outage at a time.
    const done = (previous ?? Promise.resolve()).then(() => inject(step, options));
    if (step.kind === 'outage') lastOutage.set(step.part, done);
    running.push(done);
  }
  await Promise.all(running);
  await waitFor(ended);
  connections.setActive(false);
  await options.stage.client.control('DELETE', '/faults');
};

const inject = async (step: FaultStep, options: InjectionOptions): Promise<void> => {
  const { stage } = options;
  switch (step.kind) {
    case 'outage':
      return stopPart(step, options);
    case 'kill':
      return kill(step.functionName, step.victim, options);
    case 'sandbox': {
      const request = Object.entries(SANDBOX_REQUESTS[step.fault]).map(([what, fault]) => [
        what,
        { count: step.count, ...Object(fault) },
      ]);
      await stage.client.control('POST', '/faults', Object.fromEntries(request));
      options.counts.add(SANDBOX.name, step.fault);
    }
  }
};

const stopPart = async (
  { part, outage: how, forMs, kill: victim }: Extract<FaultStep, { kind: 'outage' }>,
  options: InjectionOptions,
): Promise<void> => {
  const { connections, recorder, stage, ended } = options;
  const from = stage.cloud.clock.now().toISOString();
  const outage = connections.proxies[part].startOutage(how);
  const untilMs = performance.now() + MAX_UNNOTICED_MS;
  if (victim) await kill(victim, 0, options);
  await pause(forMs, undefined, { signal: ended }).catch(() => undefined);
  // Rarely used connections may have been unused until now.
  while (!outage.isNoticed() && !ended.aborted && performance.now() < untilMs) await pause(VICTIM_POLL_MS);
  await outage.end();
  // Refused connections reach no proxy, so the time is recorded here.
  if (part === 'chatService') recorder.failedCalls.push(from);
  if (part === 'dynamodb' && how === 'refused') {
    recorder.tableOutages.push({ from, to: stage.cloud.clock.now().toISOString() });
  }
};

const kill = async (
  functionName: KilledFunction,
  victim: number,
  { stage, counts, ended }: InjectionOptions,
): Promise<void> => {
  const pool = stage.functionOf(functionName);
  const untilMs = performance.now() + VICTIM_MS;
  while (!pool.killOne(victim)) {
    if (ended.aborted || performance.now() > untilMs) return;
    await pause(VICTIM_POLL_MS);
  }
  counts.add(functionPart(functionName), KILLED);
};

const waitFor = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
