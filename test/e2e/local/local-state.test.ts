import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRunFolder, type RunFolder } from '../../../local/base/run-folder.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { checkStateFolder, removeLocalState, writeLocalState } from '../../../local/cloud/local-state.ts';
import { startTestCloud } from '../../support/test-cloud.ts';

let cloud: LocalCloud;
let folder: RunFolder;

beforeAll(async () => {
  folder = await createRunFolder();
  cloud = await startTestCloud();
});
afterAll(async () => {
  await cloud?.close();
  await folder?.remove();
});

it('keeps a second run out of the folder of one that still answers', async () => {
  const killed = { ...cloud, webhookUrl: 'http://127.0.0.1:9/webhook' };

  await checkStateFolder(folder.path);
  writeFileSync(join(folder.path, 'local.json'), 'not JSON');
  await checkStateFolder(folder.path);
  await writeLocalState(killed, folder.path);
  await checkStateFolder(folder.path);
  await writeLocalState(cloud, folder.path);
  await expect(checkStateFolder(folder.path)).rejects.toThrow(
    `Another run uses ${folder.path}: its webhook is ${cloud.webhookUrl}. Stop it, or set PARLEY_STATE_FOLDER`,
  );

  await removeLocalState(killed, folder.path);
  expect(readFileSync(join(folder.path, 'local.json'), 'utf8')).toContain(cloud.webhookUrl);
  await removeLocalState(cloud, folder.path);
  await checkStateFolder(folder.path);
});
