import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalOptions } from '../../../local/cloud/local-cloud.ts';
import { RULE } from '../sending/sending-stage.ts';
import type { ChaosOptions } from './chaos-options.ts';
import { optedInBefore, startChaosStage } from './chaos-stage.ts';
import { collectLedgers } from './collect.ts';
import { type CheckResult, compareFaults, compareLedgers, compareNothingIdle } from './compare.ts';
import { drawPlan } from './draw-plan.ts';
import { createFaultCounts, type FaultCount } from './fault-counts.ts';
import { injectFaults } from './inject-faults.ts';
import { type Sabotage, startConnections } from './interpose.ts';
import type { Ledgers } from './ledgers.ts';
import { enqueue, type LoadResult, runLoad } from './load.ts';
import { KILLED_FUNCTIONS } from './parts.ts';
import type { ChaosPlan, SendStep } from './plan.ts';
import { createRecorder } from './recorder.ts';
import { waitUntilQuiet } from './wait-until-quiet.ts';

export interface ChaosRun {
  readonly options: ChaosOptions;
  readonly load: LoadResult;
  /** Calls that reached the chat service during the load. The others were retried later. */
  readonly callsUnderLoad: number;
  /** The time from the end of the load until no work was left, and how far the run's clock was moved forward. */
  readonly quietAfterSeconds: number;
  readonly clockMovedSeconds: number;
  readonly faults: readonly FaultCount[];
  readonly checks: readonly CheckResult[];
  readonly ledgers: Ledgers;
  /** The folder with the ledgers and the functions' logs, if a check failed. */
  readonly folder: string | undefined;
}

export interface ChaosSettings {
  readonly local?: LocalOptions | undefined;
  readonly sabotage?: Sabotage | undefined;
  readonly onProgress?: ((what: string) => void) | undefined;
}

/** A run of this length must inject every fault and give every check something to compare. */
export const FULL_MINUTES = 10;

/** Returns a request to a contact that has opted in, which can probe an open circuit breaker. */
const probeStep = ({ contacts }: ChaosPlan, { seed }: ChaosOptions, index: number): SendStep => {
  const requestId = `chaos-${seed}-send-${PROBES_FROM + index}`;
  return {
    kind: 'send',
    contact:
      contacts.find(({ profile, eraseAtMs }) => profile === 'opted-in' && eraseAtMs === undefined)?.address ?? '',
    requestId,
    expected: 'end',
    via: 'queue',
    fields: { ruleNameOrId: RULE, params: { n: requestId }, reason: 'shipping-status', onUncertain: 'resend' },
    sendInMs: undefined,
    notAfterInMs: undefined,
    times: 1,
  };
};

/** Higher than the index of any planned request. */
const PROBES_FROM = 10_000_000;

/** Runs the stack under load and faults, waits until no work is left, and compares all ledgers. */
export const runChaos = async (options: ChaosOptions, settings: ChaosSettings = {}): Promise<ChaosRun> => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-chaos-'));
  try {
    return await runIn(folder, options, settings);
  } catch (error) {
    // A run that ended with an error has no results to inspect.
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
};

const runIn = async (folder: string, options: ChaosOptions, settings: ChaosSettings): Promise<ChaosRun> => {
  const { onProgress = () => undefined, sabotage } = settings;
  const plan = drawPlan(options);
  const counts = createFaultCounts();
  let offsetMs = () => 0;
  const recorder = createRecorder(() => new Date(Date.now() + offsetMs()));
  const run = await (async () => {
    await using connections = await startConnections({
      ...options,
      counts,
      onCall: recorder.recordCall,
      onPublished: recorder.recordEntry,
      onDeath(functionId, event) {
        const functionName = KILLED_FUNCTIONS.find((name) => functionId.startsWith(name));
        if (functionName) recorder.recordKill(functionName, event);
      },
      sabotage,
    });
    const logFolder = join(folder, 'logs');
    const local = { ...settings.local, logFolder, interpose: connections.interpose };
    await using stage = await startChaosStage(local, plan.contacts);
    offsetMs = () => stage.cloud.clock.offsetMs;
    const ended = new AbortController();
    const injection = { stage, connections, counts, recorder, ended: ended.signal };
    onProgress(`The stack is running. Load and faults last ${options.minutes} minutes.`);
    const [load] = await Promise.all([
      runLoad(plan.load, stage, recorder).finally(() => ended.abort()),
      injectFaults(plan.faults, injection),
    ]);
    const callsUnderLoad = recorder.calls.length;
    onProgress('The load has ended. Waiting until no work is left.');
    const loadEndedMs = performance.now();
    const waiting = await waitUntilQuiet(stage, recorder, (index) =>
      enqueue(probeStep(plan, options, index), stage, recorder),
    );
    const ledgers = await collectLedgers(stage, recorder, waiting, optedInBefore(plan.contacts));
    const quietAfterSeconds = (performance.now() - loadEndedMs) / 1000;
    return { options, load, callsUnderLoad, quietAfterSeconds, clockMovedSeconds: offsetMs() / 1000, ledgers };
  })();
  const faults = counts.rows();
  const compared = compareLedgers(run.ledgers);
  const witnesses = options.minutes >= FULL_MINUTES ? [compareFaults(faults), compareNothingIdle(compared)] : [];
  const checks = [...compared, ...witnesses];
  const isFailed = checks.some(({ violations }) => violations.length > 0);
  if (isFailed) await writeFile(join(folder, 'ledgers.json'), JSON.stringify(run.ledgers, undefined, 1));
  else await rm(folder, { recursive: true, force: true });
  return { ...run, faults, checks, folder: isFailed ? folder : undefined };
};
