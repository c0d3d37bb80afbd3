import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMovableClock } from '../../../../local/base/clock.ts';
import { createPrivateFolder, openPrivateFile } from '../../../../local/base/private-files.ts';
import { createRunFolder, type RunFolder } from '../../../../local/base/run-folder.ts';
import { writeLocalState } from '../../../../local/cloud/local-state.ts';
import { startFunctions } from '../../../../local/functions/functions.ts';
import { writeBundle } from '../functions/fake-function.ts';

let temporary: RunFolder;
let folder: string;
beforeEach(async () => {
  temporary = await createRunFolder();
  folder = temporary.path;
});
afterEach(() => temporary.remove());

const modeOf = async (...path: readonly string[]): Promise<string> =>
  ((await stat(join(folder, ...path))).mode & 0o7777).toString(8);

const STATE = {
  consoleUrl: undefined,
  webhookUrl: 'w',
  managementUrl: 'm',
  chatServiceUrl: 'c',
  sendQueueUrl: 's',
  sendDeadLetterQueueUrl: 's',
  scheduleDeadLetterQueueUrl: 's',
  inboundQueueUrl: 'i',
  inboundDeadLetterQueueUrl: 'i',
  erasureQueueUrl: 'e',
  erasureDeadLetterQueueUrl: 'e',
  publishFailuresQueueUrl: 'p',
  tableName: 't',
  eventBusName: 'b',
  eventsQueueUrl: undefined,
  accessTokenSecretId: 'a',
  env: {},
};

describe('a private file', () => {
  it('can be read only by its owner', async () => {
    await using file = await openPrivateFile(join(folder, 'new'));
    await file.writeFile('secret');

    expect(await modeOf('new')).toBe('600');
    expect(await readFile(join(folder, 'new'), 'utf8')).toBe('secret');
  });

  it('loses the permissions and the content of an earlier one', async () => {
    await writeFile(join(folder, 'old'), 'longer than the new content');
    await chmod(join(folder, 'old'), 0o666);

    await using file = await openPrivateFile(join(folder, 'old'));

    expect(await modeOf('old')).toBe('600');
    await file.writeFile('new');
    expect(await readFile(join(folder, 'old'), 'utf8')).toBe('new');
  });
});

describe('a private folder', () => {
  const given = async (mode: number, ...files: readonly string[]): Promise<void> => {
    await mkdir(join(folder, 'given'));
    for (const file of files) await writeFile(join(folder, 'given', file), '');
    await chmod(join(folder, 'given'), mode);
    await createPrivateFolder(join(folder, 'given'));
  };

  it('is closed to others, with the folders on the way to it', async () => {
    await createPrivateFolder(join(folder, 'state', 'logs'));

    expect([await modeOf('state'), await modeOf('state', 'logs')]).toEqual(['700', '700']);
  });

  it('is closed to others if an earlier run left it open', async () => {
    await given(0o755, 'local.json', 'Parley-dev-Send.log');

    expect(await modeOf('given')).toBe('700');
  });

  it('is closed to others if it is named .parley, whatever it contains', async () => {
    await mkdir(join(folder, '.parley'), { mode: 0o755 });
    await writeFile(join(folder, '.parley', 'notes.txt'), '');

    await createPrivateFolder(join(folder, '.parley'));

    expect(await modeOf('.parley')).toBe('700');
  });

  it.each([
    ['it contains other files', 0o755, ['local.json', 'notes.txt']],
    ['it is a folder for everybody, such as /tmp', 0o1777, []],
  ])('stays as it is if %s', async (_, mode, files) => {
    await given(mode, ...files);

    expect(await modeOf('given')).toBe(mode.toString(8));
  });
});

describe("a run's files", () => {
  it('include local.json, which holds credentials', async () => {
    await mkdir(join(folder, '.parley'), { mode: 0o755 });
    await writeFile(join(folder, '.parley', 'local.json'), '{}', { mode: 0o644 });

    await writeLocalState(STATE, join(folder, '.parley'));

    expect([await modeOf('.parley'), await modeOf('.parley', 'local.json')]).toEqual(['700', '600']);
  });

  it('include the logs, whose echo on a terminal is escaped', async () => {
    const source = `export const handler = async () => { console.log('\\u001b[2J\\u009b\\u202e\\r', 'ñ'); };`;
    const declaration = {
      name: 'fake',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:fake',
      logicalId: 'Fake',
      codeFolder: await writeBundle(join(folder, 'code'), source),
      handler: 'index.handler',
      variables: {},
      memoryMb: 256,
      timeoutMs: 10_000,
    };
    await mkdir(join(folder, 'logs'), { mode: 0o755 });
    await writeFile(join(folder, 'logs', 'fake.log'), 'of an earlier run', { mode: 0o644 });
    const echo = new PassThrough();
    const logs = { folder: join(folder, 'logs'), echo };
    const functions = await startFunctions([declaration], {
      folder,
      awsEnvironment: {},
      clock: createMovableClock(),
      logs,
    });

    await functions.find('fake')?.invoke('{}');
    await functions[Symbol.asyncDispose]();
    echo.end();

    expect([await modeOf('logs'), await modeOf('logs', 'fake.log')]).toEqual(['700', '600']);
    expect(await readFile(join(folder, 'logs', 'fake.log'), 'utf8')).toBe('\u001b[2J\u009b\u202e\r ñ\n');
    expect(await text(echo)).toBe('\\u001b[2J\\u009b\\u202e\\r ñ\n');
  });
});
