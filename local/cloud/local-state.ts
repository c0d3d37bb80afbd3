import { access, constants, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../base/json.ts';
import { LocalError, messageOf } from '../base/local-error.ts';
import { createPrivateFolder, openPrivateFile } from '../base/private-files.ts';
import type { StackAddresses } from '../stack/stack-addresses.ts';
import type { LocalCloud } from './local-cloud.ts';

/** The file in the state folder that contains the addresses of a run. */
const FILE = 'local.json';

/** What the file says about a run. */
type DescribedRun = StackAddresses & Pick<LocalCloud, 'chatServiceUrl' | 'consoleUrl' | 'eventsQueueUrl' | 'env'>;

/** Returns the addresses of a run in the form that other programs read. */
export const localState = (cloud: DescribedRun) => ({
  consoleUrl: cloud.consoleUrl,
  webhookUrl: cloud.webhookUrl,
  managementUrl: cloud.managementUrl,
  chatServiceUrl: cloud.chatServiceUrl,
  sendQueueUrl: cloud.sendQueueUrl,
  sendDeadLetterQueueUrl: cloud.sendDeadLetterQueueUrl,
  turnQueueUrl: cloud.turnQueueUrl,
  bulkSendQueueUrl: cloud.bulkSendQueueUrl,
  bulkSendDeadLetterQueueUrl: cloud.bulkSendDeadLetterQueueUrl,
  scheduleDeadLetterQueueUrl: cloud.scheduleDeadLetterQueueUrl,
  inboundQueueUrl: cloud.inboundQueueUrl,
  inboundDeadLetterQueueUrl: cloud.inboundDeadLetterQueueUrl,
  erasureQueueUrl: cloud.erasureQueueUrl,
  erasureDeadLetterQueueUrl: cloud.erasureDeadLetterQueueUrl,
  publishFailuresQueueUrl: cloud.publishFailuresQueueUrl,
  undeliveredEventsQueueUrl: cloud.undeliveredEventsQueueUrl,
  tableName: cloud.tableName,
  eventBusName: cloud.eventBusName,
  eventsQueueUrl: cloud.eventsQueueUrl,
  accessTokenSecretId: cloud.accessTokenSecretId,
  webhookSecretId: cloud.webhookSecretId,
  webhookSecretKind: cloud.webhookSecretKind,
  webhookAuthHeader: cloud.webhookAuthHeader,
  webhookIngress: cloud.webhookIngress,
  /** The run's own process. */
  processId: process.pid,
  env: cloud.env,
});

/** Writes a run's addresses, for its user only: they include credentials. */
export const writeLocalState = async (cloud: DescribedRun, folder: string): Promise<void> => {
  await createPrivateFolder(folder);
  await using file = await openPrivateFile(join(folder, FILE));
  await file.writeFile(`${JSON.stringify(localState(cloud), null, 2)}\n`);
};

const RESPONSE_TIMEOUT_MS = 500;
const otherRun = z.object({ processId: z.int().positive(), webhookUrl: z.url(), consoleUrl: z.url().optional() });

/**
 * Creates the folder for a run's addresses and logs.
 *
 * @throws LocalError if another run uses the folder, or if it cannot be written.
 */
export const prepareStateFolder = async (folder: string): Promise<void> => {
  const run = await readRun(folder);
  if (run !== undefined && (await isActive(run))) {
    const { consoleUrl, webhookUrl } = run;
    const address = consoleUrl === undefined ? `its webhook is ${webhookUrl}` : `its console is ${consoleUrl}`;
    throw new LocalError(
      `Another run uses ${folder}: ${address}. Stop it, or set PARLEY_STATE_FOLDER to another folder.`,
    );
  }
  try {
    await createPrivateFolder(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new LocalError(
      `Cannot write to the folder ${folder}: ${messageOf(error)}. Set PARLEY_STATE_FOLDER to another folder.`,
    );
  }
};

const readRun = async (folder: string): Promise<z.output<typeof otherRun> | undefined> => {
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => '');
  return otherRun.safeParse(parseJson(text)).data;
};

/**
 * Returns whether a run has not ended. A killed run leaves its file behind, and then another program may get its process
 * ID, or a run in another folder its ports, but hardly both.
 */
const isActive = async ({ processId, webhookUrl }: z.output<typeof otherRun>): Promise<boolean> => {
  try {
    process.kill(processId, 0);
    await fetch(webhookUrl, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  }
};

/** Removes this run's addresses, unless a later run has replaced them. */
export const removeLocalState = async (folder: string): Promise<void> => {
  const run = await readRun(folder);
  if (run?.processId === process.pid) await rm(join(folder, FILE), { force: true });
};
