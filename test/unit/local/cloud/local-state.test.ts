import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { listenLocally } from '../../../../local/base/listen-locally.ts';
import {
  localState,
  prepareStateFolder,
  removeLocalState,
  writeLocalState,
} from '../../../../local/cloud/local-state.ts';

const addresses = {
  consoleUrl: 'http://127.0.0.1:1/',
  webhookUrl: 'http://127.0.0.1:2/webhook',
  managementUrl: 'http://127.0.0.1:3',
  chatServiceUrl: 'http://127.0.0.1:1',
  sendQueueUrl: 'send',
  sendDeadLetterQueueUrl: 'send-dead-letters',
  scheduleDeadLetterQueueUrl: 'schedule-dead-letters',
  inboundQueueUrl: 'inbound',
  inboundDeadLetterQueueUrl: 'inbound-dead-letters',
  erasureQueueUrl: 'erasures',
  erasureDeadLetterQueueUrl: 'erasure-dead-letters',
  publishFailuresQueueUrl: 'publish-failures',
  tableName: 'table',
  eventBusName: 'bus',
  eventsQueueUrl: 'events',
  accessTokenSecretId: 'access-token',
  env: {},
};

describe('the addresses of a run', () => {
  it('include every output of the stack, and the secret of the webhook if its authentication uses one', () => {
    const webhookSecretId = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:webhook';

    const secret = { webhookSecretId, webhookSecretKind: 'shared-token' };

    expect(localState({ ...addresses, ...secret })).toEqual({ ...addresses, ...secret, processId: process.pid });
  });

  it('leave the secret out of the file if there is none', () => {
    expect(JSON.parse(JSON.stringify(localState(addresses)))).toEqual({ ...addresses, processId: process.pid });
  });
});

describe('the folder of a run', () => {
  let folder: string;
  let active: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-state-'));
    const server = await listenLocally(createServer((_, response) => response.end()));
    active = `${server.url}/webhook`;
    onTestFinished(async () => {
      await server.close();
      rmSync(folder, { recursive: true });
    });
  });
  const write = (run: object) => writeFileSync(join(folder, 'local.json'), JSON.stringify(run));
  /** The ID of a process that has ended. */
  const endedProcess = () => spawnSync('true').pid;

  it('is refused while another run uses it, and the sentence names what one would open', async () => {
    write({ processId: process.pid, webhookUrl: active, consoleUrl: 'http://127.0.0.1:4760/' });
    await expect(prepareStateFolder(folder)).rejects.toThrow(
      `Another run uses ${folder}: its console is http://127.0.0.1:4760/. Stop it, or set PARLEY_STATE_FOLDER`,
    );

    write({ processId: process.pid, webhookUrl: active });
    await expect(prepareStateFolder(folder)).rejects.toThrow(`its webhook is ${active}. Stop it`);
  });

  it.each([
    ['its process has ended, and a run in another folder has its ports', () => ({ processId: endedProcess() })],
    [
      'its webhook does not answer, and another program has its process ID',
      () => ({ webhookUrl: 'http://127.0.0.1:9' }),
    ],
    ['its file has no process', () => ({ processId: undefined })],
  ])('is free again after a run was killed: %s', async (_, killed) => {
    write({ processId: process.pid, webhookUrl: active, ...killed() });

    await expect(prepareStateFolder(folder)).resolves.toBeUndefined();
  });

  it('is free if the file is not JSON', async () => {
    writeFileSync(join(folder, 'local.json'), 'not JSON');

    await expect(prepareStateFolder(folder)).resolves.toBeUndefined();
  });

  it('is refused with a sentence if it cannot be written', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');

    await expect(prepareStateFolder(join(file, 'state'))).rejects.toThrow(
      /^Cannot write to the folder \S+: ENOTDIR[^\n]*\. Set PARLEY_STATE_FOLDER to another folder\.$/,
    );
  });

  it('loses the file of the run that ends, but not that of a later run', async () => {
    await writeLocalState(addresses, folder);
    await removeLocalState(folder);
    expect(readdirSync(folder)).toEqual([]);

    write({ processId: process.ppid, webhookUrl: active });
    await removeLocalState(folder);
    expect(readFileSync(join(folder, 'local.json'), 'utf8')).toContain(active);
  });
});
