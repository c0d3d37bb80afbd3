import { createHash } from 'node:crypto';
import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';
import type { LocalClient } from '../../local/cloud/local-client.ts';
import type { LocalCloud, LocalOptions } from '../../local/cloud/local-cloud.ts';
import { startCheckedCloud } from './checked-cloud.ts';
import { eventually } from './eventually.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder of the whole test run, removed at its end. */
    readonly testRunFolder: string;
  }
}

const POLL_MS = 50;

/**
 * Starts a local run for tests. Runs with the same stage and settings share one synthesized app, whichever file they
 * belong to: the first one synthesizes it, the others wait for it.
 *
 * The chat service may deliver an event twice, and the sandbox does when the machine is slow. So that no test relies on
 * single deliveries, the sandbox delivers every event twice until its faults are cleared.
 */
export const startTestCloud = async (options: LocalOptions = {}): Promise<LocalCloud> => {
  const { stage = 'dev', chatServiceUrl, settings } = options;
  const name = createHash('sha256')
    .update(JSON.stringify([stage, settings, chatServiceUrl]))
    .digest('hex');
  const folder = join(inject('testRunFolder'), name.slice(0, 16));
  const outdir = join(folder, 'cdk.out');
  const logFolder = options.logFolder ?? join(inject('testRunFolder'), 'logs', name.slice(0, 16));
  const marker = join(outdir, 'synthesized-from.json');
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  );
  // If the first run cannot synthesize the app, it removes the folder, and the others report the error themselves.
  while (!isFirst && !(await exists(marker)) && (await exists(folder))) await pause(POLL_MS);
  try {
    const cloud = await startCheckedCloud({ ...options, outdir, logFolder });
    if (chatServiceUrl === undefined) await deliverTwice(cloud);
    return cloud;
  } finally {
    if (isFirst && !(await exists(marker))) await rm(folder, { recursive: true, force: true });
  }
};

const deliverTwice = async ({ chatServiceUrl }: LocalCloud): Promise<void> => {
  const body = JSON.stringify({ deliveries: { double: true, count: 1_000_000 } });
  const { status } = await fetch(`${chatServiceUrl}/sandbox/faults`, { method: 'POST', body });
  if (status !== 200) throw new Error(`The sandbox answered the request for double deliveries with ${status}.`);
};

/** Waits until every event has been delivered, both times. */
export const allDelivered = (client: LocalClient): Promise<true> =>
  eventually(async () => (Object(await client.control('GET', '/state')).pending === 0 ? true : undefined));

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
