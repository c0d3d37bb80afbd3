import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalClient, type LocalClient } from '../../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { startTestCloud } from '../../support/test-cloud.ts';
import { runExample } from './run-example.ts';

const CONTACT = '+5491155570001';
const UNKNOWN = '+5491155570002';

let cloud: LocalCloud;
let client: LocalClient;

beforeAll(async () => {
  cloud = await startTestCloud();
  client = createLocalClient(cloud);
  const id = await client.userWrites(CONTACT, { text: 'Where is my parcel?' });
  await waitFor('the message is stored', async () => (await client.table())[`MESSAGE#${id} MESSAGE`]);
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
});

const run = async (program: string, ...args: readonly string[]): Promise<string> => {
  const { exitCode, stdout, stderr } = await runExample(cloud, `management/${program}.ts`, args);
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  return stdout;
};

describe('the management calls', () => {
  it('record consents, and print the effective one', async () => {
    const optedIn = await run('record-consent', 'opt-in', UNKNOWN, 'registration form');
    expect(JSON.parse(optedIn)).toMatchObject({ consent: { state: 'opted-in' } });
    const optedOut = await run('record-consent', 'opt-out', UNKNOWN, 'phone call');
    expect(JSON.parse(optedOut)).toMatchObject({ consent: { state: 'opted-out' } });
  });

  it('read a conversation', async () => {
    expect(await run('read-conversation', CONTACT)).toMatch(/^\S+Z inbound Where is my parcel\?\n$/);
  });

  it('forecast how a message would be sent', async () => {
    const lines = (await run('forecast', CONTACT, UNKNOWN)).split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^\+5491155570001: free-form\. .*the window is open/),
      expect.stringMatching(/^\+5491155570002: refused\. /),
      '',
    ]);
  });

  it('print the state of a send', async () => {
    await client.enqueue({ requestId: 'a-send', platformContactId: CONTACT, messageText: 'It arrives today.' });
    await waitFor('it is accepted', async () => {
      const { state } = (await client.table())['SEND#a-send SEND'] ?? {};
      return state === 'accepted' ? state : undefined;
    });
    expect(JSON.parse(await run('send-status', 'a-send'))).toMatchObject({ requestId: 'a-send', state: 'accepted' });
  });

  it('fail with the status and the message of an error response', async () => {
    const { exitCode, stderr } = await runExample(cloud, 'management/send-status.ts', ['never-queued']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('GET /v1/sends/never-queued returned 404: {"code":"SEND_NOT_FOUND"');
  });
});
