import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LocalCloud } from '../../../local/local-cloud.ts';
import { removeLocalState, writeLocalState } from '../../../local/local-state.ts';
import { createRunFolder, type RunFolder } from '../../../local/run-folder.ts';
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

it('reports that it replaced the addresses of a run only if that run still answers', async () => {
  const killed = { ...cloud, webhookUrl: 'http://127.0.0.1:9/webhook' };

  expect(await writeLocalState(killed, folder.path)).toBe(false);
  expect(await writeLocalState(cloud, folder.path)).toBe(false);
  expect(await writeLocalState(cloud, folder.path)).toBe(true);

  await removeLocalState(cloud, folder.path);
  expect(await writeLocalState(cloud, folder.path)).toBe(false);
});
