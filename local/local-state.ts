import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

export const writeLocalState = async (cloud: LocalCloud, folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, FILE), `${JSON.stringify(localState(cloud), null, 2)}\n`);
};

/** Removes what this run wrote; a run that was started after it has written over it by then. */
export const removeLocalState = async (cloud: LocalCloud, folder: string): Promise<void> => {
  const file = join(folder, FILE);
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text.includes(JSON.stringify(cloud.webhookUrl))) await rm(file, { force: true });
};
