import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** Vitest's global setup: a folder that the files of a test run share. Returns the teardown. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-tests-'));
  project.provide('testRunFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
};
