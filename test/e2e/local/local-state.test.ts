import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRunFolder, type RunFolder } from '../../../local/emulators/memory-folder.ts';
import { type LocalCloud, startLocal } from '../../../local/local-cloud.ts';
import { removeLocalState, writeLocalState } from '../../../local/local-state.ts';

let cloud: LocalCloud;
let folder: RunFolder;

beforeAll(async () => {
  folder = await createRunFolder();
  cloud = await startLocal();
});
afterAll(async () => {
  await cloud?.close();
  await folder?.remove();
});

it('a run’s addresses replace those of a run that still answers with a word, and of one that is gone without', async () => {
  const gone = { ...cloud, webhookUrl: 'http://127.0.0.1:9/webhook' };

  expect(await writeLocalState(gone, folder.path)).toBe(false);
  expect(await writeLocalState(cloud, folder.path)).toBe(false);
  expect(await writeLocalState(cloud, folder.path)).toBe(true);

  await removeLocalState(cloud, folder.path);
  expect(await writeLocalState(cloud, folder.path)).toBe(false);
});
