import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { retentionDays } from '../../lambdas/domain/retention.ts';
import { createLocalClient, type LocalClient } from '../../local/cloud/local-client.ts';
import { type LocalCloud, startLocal } from '../../local/cloud/local-cloud.ts';
import type { Interpose } from '../../local/stack/interposed.ts';
import { mainJobPhases } from './main-job-phases.ts';
import type { RunningSubject, Subject } from './subject.ts';

const STAGE = 'dev';

/** A running stack of Parley, and a client that acts as its users. */
export interface RunningParley extends Omit<RunningSubject, 'phases' | 'cloud'> {
  readonly cloud: LocalCloud;
  readonly client: LocalClient;
}

/** Starts Parley's own stack, with the settings of the stage `dev` unless others override them. */
export const startParley = async (
  interpose: Interpose,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<RunningParley> => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'parley-cost-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const outdir = join(folder, 'cdk.out');
  const logFolder = join(folder, 'logs');
  const cloud = await startLocal({ stage: STAGE, settings, interpose, outdir, logFolder });
  stack.defer(cloud.close);
  const client = createLocalClient(cloud);
  stack.defer(client.close);
  const retention = [...cloud.functions.values()]
    .map(({ declaration }) => declaration.variables.RETENTION_DAYS)
    .find((days) => days !== undefined);
  const template: unknown = JSON.parse(await readFile(join(outdir, `Parley-${STAGE}.template.json`), 'utf8'));
  const resources = stack.move();
  return {
    cloud,
    client,
    template,
    retentionDays: retentionDays.parse(JSON.parse(retention ?? '')).messages,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

/** Parley's own stack, which does the main job. */
export const PARLEY: Subject = {
  name: 'Parley',
  async start(interpose, events) {
    await using stack = new AsyncDisposableStack();
    const running = stack.use(await startParley(interpose));
    const phases = await mainJobPhases(running.client, events);
    const resources = stack.move();
    return { ...running, phases, [Symbol.asyncDispose]: () => resources.disposeAsync() };
  },
};
