import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../base/json.ts';
import { LocalError } from '../base/local-error.ts';
import { createPrivateFolder, openPrivateFile } from '../base/private-files.ts';
import type { StackAddresses } from '../stack/stack-addresses.ts';
import type { LocalCloud } from './local-cloud.ts';

/** The file in the state folder that contains the addresses of a run. */
const FILE = 'local.json';

/** Returns the addresses of a run in the form that other programs read. */
export const localState = (cloud: StackAddresses & Pick<LocalCloud, 'chatServiceUrl' | 'consoleUrl' | 'env'>) => ({
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
  accessTokenSecretId: cloud.accessTokenSecretId,
  webhookSecretId: cloud.webhookSecretId,
  webhookSecretKind: cloud.webhookSecretKind,
  webhookAuthHeader: cloud.webhookAuthHeader,
  webhookIngress: cloud.webhookIngress,
  env: cloud.env,
});

/** Writes a run's addresses, for its user only: they include credentials. */
export const writeLocalState = async (cloud: Parameters<typeof localState>[0], folder: string): Promise<void> => {
  await createPrivateFolder(folder);
  await using file = await openPrivateFile(join(folder, FILE));
  await file.writeFile(`${JSON.stringify(localState(cloud), null, 2)}\n`);
};

const RESPONSE_TIMEOUT_MS = 500;
const otherRun = z.object({ webhookUrl: z.url() });

/**
 * Checks that a folder is free for a run's addresses and logs. A killed run leaves its file behind, so only one whose
 * webhook answers counts.
 *
 * @throws LocalError if another run uses the folder.
 */
export const checkStateFolder = async (folder: string): Promise<void> => {
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => undefined);
  const webhookUrl = text && otherRun.safeParse(parseJson(text)).data?.webhookUrl;
  if (!webhookUrl) return;
  const answers = fetch(webhookUrl, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
  const isRunning = await answers.then(
    () => true,
    () => false,
  );
  if (!isRunning) return;
  throw new LocalError(
    `Another run uses ${folder}: its webhook is ${webhookUrl}. Stop it, or set PARLEY_STATE_FOLDER to another folder.`,
  );
};

/** Removes a run's addresses, unless a later run has replaced them. */
export const removeLocalState = async (cloud: LocalCloud, folder: string): Promise<void> => {
  const file = join(folder, FILE);
  const json = await readFile(file, 'utf8').catch(() => '');
  if (json.includes(JSON.stringify(cloud.webhookUrl))) await rm(file, { force: true });
};
