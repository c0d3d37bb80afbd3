import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRunFolder, type RunFolder } from '../../../local/base/run-folder.ts';
import { createLocalClient, type LocalClient } from '../../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { writeLocalState } from '../../../local/cloud/local-state.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { startTestCloud } from '../../support/test-cloud.ts';

// The commands of docs/local-run.md, in the folder of a local run.

const PROGRAMS = ['curl', 'jq', 'aws'];

const page = readFileSync(join(import.meta.dirname, '../../../docs/local-run.md'), 'utf8');
const block = /^```sh\n(# The user writes.*?)^```$/ms.exec(page)?.[1] ?? '';
const [, readEvents = ''] = /^```sh\n(aws sqs receive-message.*?)^```$/ms.exec(page) ?? [];
const [writeAndReply = '', look = ''] = block.split('# A moment later');

const bash = async (commands: string, options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {}) => {
  const { stdout } = await promisify(execFile)('bash', ['-euc', commands], options);
  return stdout;
};

const missing: string[] = [];
for (const program of PROGRAMS) await bash(`${program} --version`).catch(() => missing.push(program));

describe('docs/local-run.md', () => {
  let folder: RunFolder;
  let cloud: LocalCloud;
  let client: LocalClient;
  beforeAll(async () => {
    folder = await createRunFolder();
    cloud = await startTestCloud({ hasEventsQueue: true });
    client = createLocalClient(cloud);
    await writeLocalState(cloud, join(folder.path, '.parley'));
  });
  afterAll(async () => {
    client?.close();
    await cloud?.close();
    await folder?.remove();
  });

  it('has commands that write as a user, reply from a queue, and show what the user received', async ({ skip }) => {
    skip(missing.length > 0, `The page's commands are not run. Install what is missing: ${missing.join(', ')}.`);
    const options = { cwd: folder.path, env: { ...process.env, ...cloud.env } };

    await bash(writeAndReply, options);
    await waitFor('the reply is accepted', async () =>
      (await client.table())['SEND#hello-1 SEND']?.state === 'accepted' ? true : undefined,
    );

    const shown = await bash(`# ${look}`, options);
    expect(shown).toContain('It arrives today.');
    expect(await bash(readEvents, options)).toContain('MessageReceived');
    expect(shown).toMatch(/"decision": \{\s*"S": "The user wrote at .*, so the window is open\."/);
  });
});
