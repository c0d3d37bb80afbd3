import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { LocalCloud } from './local-cloud.ts';

/** In the state folder: where a running local cloud leaves its addresses. */
const FILE = 'local.json';

/** The addresses of a run, as other programs read them. */
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

/** @returns whether another run, which still answers, had its addresses there: they are replaced. */
export const writeLocalState = async (cloud: LocalCloud, folder: string): Promise<boolean> => {
  await mkdir(folder, { recursive: true });
  const replaced = await isAnotherRunning(join(folder, FILE));
  await writeFile(join(folder, FILE), `${JSON.stringify(localState(cloud), null, 2)}\n`);
  return replaced;
};

const ANSWER_TIMEOUT_MS = 500;
const otherRun = z.object({ webhookUrl: z.url() });

/** A run that was killed leaves its file behind: what counts is whether somebody is there. */
const isAnotherRunning = async (file: string): Promise<boolean> => {
  try {
    const { webhookUrl } = otherRun.parse(JSON.parse(await readFile(file, 'utf8')));
    await fetch(webhookUrl, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  }
};

/** Removes what this run wrote; a run that was started after it has written over it by then. */
export const removeLocalState = async (cloud: LocalCloud, folder: string): Promise<void> => {
  const file = join(folder, FILE);
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text.includes(JSON.stringify(cloud.webhookUrl))) await rm(file, { force: true });
};
