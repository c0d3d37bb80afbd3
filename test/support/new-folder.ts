import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a folder with files, until the test ends. A content that is no text is written as JSON. */
export const newFolder = async (files: Readonly<Record<string, unknown>> = {}): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-synthesis-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
};
