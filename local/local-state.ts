import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { LocalCloud } from './local-cloud.ts';

/** The file in the state folder that contains the addresses of a run. */
const FILE = 'local.json';

/** Returns the addresses of a run in the form that other programs read. */
export const localState = (cloud: LocalCloud) => ({
  consoleUrl: cloud.consoleUrl,
  webhookUrl: cloud.webhookUrl,
  managementUrl: cloud.managementUrl,
  chatServiceUrl: cloud.chatServiceUrl,
  sendQueueUrl: cloud.sendQueueUrl,
  sendDeadLetterQueueUrl: cloud.sendDeadLetterQueueUrl,
  inboundQueueUrl: cloud.inboundQueueUrl,
  inboundDeadLetterQueueUrl: cloud.inboundDeadLetterQueueUrl,
  tableName: cloud.tableName,
  eventBusName: cloud.eventBusName,
  accessTokenSecretId: cloud.accessTokenSecretId,
  env: cloud.env,
});

/** Writes a run's addresses. @returns whether they replaced those of another run that is still active. */
export const writeLocalState = async (cloud: LocalCloud, folder: string): Promise<boolean> => {
  await mkdir(folder, { recursive: true });
  const replaced = await isAnotherRunning(join(folder, FILE));
  await writeFile(join(folder, FILE), `${JSON.stringify(localState(cloud), null, 2)}\n`);
  return replaced;
};

const RESPONSE_TIMEOUT_MS = 500;
const otherRun = z.object({ webhookUrl: z.url() });

/** A killed run leaves its file behind, so this checks whether the webhook responds. */
const isAnotherRunning = async (file: string): Promise<boolean> => {
  try {
    const { webhookUrl } = otherRun.parse(JSON.parse(await readFile(file, 'utf8')));
    await fetch(webhookUrl, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  }
};

/** Removes a run's addresses, unless a later run has replaced them. */
export const removeLocalState = async (cloud: LocalCloud, folder: string): Promise<void> => {
  const file = join(folder, FILE);
  const json = await readFile(file, 'utf8').catch(() => '');
  if (json.includes(JSON.stringify(cloud.webhookUrl))) await rm(file, { force: true });
};
