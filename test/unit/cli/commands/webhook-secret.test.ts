import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../../cli/operations/webhook-secrets.ts';
import type { ListeningServer } from '../../../../local/base/listen-locally.ts';
import {
  createSecretStore,
  type SecretStore,
  startSecretsManager,
} from '../../../../local/emulators/secrets-manager.ts';
import { type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';
import { runParley } from '../../../support/run-parley.ts';

const FIRST = 'first-token-0123456789';
const SECOND = 'second-token-0123456789';

let store: SecretStore;
let server: ListeningServer;
let target: LocalTarget;
let arn: string;
let acts: unknown[];
beforeEach(async () => {
  acts = [];
  store = createSecretStore((name) => `arn:aws:secretsmanager:local:000000000000:secret:${name}`);
  arn = store.create('webhook', FIRST);
  server = await startSecretsManager(store);
  target = await startLocalTarget({ webhookSecretId: arn }, async (_method, _path, sent) => {
    acts.push(JSON.parse(sent));
    return [200, {}];
  });
  const file = join(target.folder, 'local.json');
  const state = JSON.parse(readFileSync(file, 'utf8'));
  state.env.AWS_ENDPOINT_URL_SECRETS_MANAGER = server.url;
  writeFileSync(file, JSON.stringify(state));
});
afterEach(async () => {
  await target?.[Symbol.asyncDispose]();
  await server?.close();
});

const stored = () => store.find(arn)?.versions[0]?.secretString;
const parley = (args: readonly string[], stdin = '') =>
  runParley(['webhook-secret', ...args], { stateFolder: target.folder, stdin });

/** Changes what the local run says about the stage. */
const changeState = (changes: Readonly<Record<string, unknown>>): void => {
  const file = join(target.folder, 'local.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...changes }));
};

describe('the webhook secret', () => {
  it('is rotated without a moment in which neither is accepted, and never printed', async () => {
    const added = await parley(['add'], `${SECOND}\n`);
    const both = stored();
    const listed = await parley(['list']);
    const removed = await parley(['remove', fingerprintOf(FIRST), '--yes']);

    expect([added.code, listed.code, removed.code]).toEqual([0, 0, 0]);
    expect([both, stored()]).toEqual([`${FIRST}\n${SECOND}`, SECOND]);
    expect(listed.out).toContain(`${fingerprintOf(FIRST)}  stored by `);
    expect(listed.out).toContain(`${fingerprintOf(SECOND)}  stored at `);
    expect(acts).toEqual([{ action: 'webhook-secret-change' }, { action: 'webhook-secret-change' }]);
    const printed = [added, listed, removed].map(({ out, err }) => out + err).join();
    for (const secret of [FIRST, SECOND]) expect(printed).not.toContain(secret);
  });

  it('says when a change takes effect', async () => {
    expect((await parley(['add'], SECOND)).out).toContain('within 10 seconds');
    expect((await parley(['remove', fingerprintOf(FIRST), '--yes'])).out).toContain('five more minutes');
  });

  it('keeps the last secret', async () => {
    const { code, err } = await parley(['remove', fingerprintOf(FIRST), '--yes']);

    expect([code, err]).toEqual([4, expect.stringContaining('is the only one')]);
    expect([stored(), acts]).toEqual([FIRST, []]);
  });

  it('is added once', async () => {
    const { code, out } = await parley(['add'], FIRST);

    expect([code, out]).toEqual([0, expect.stringContaining('already stored')]);
    expect([stored(), acts]).toEqual([FIRST, []]);
  });

  it.each([
    ['an argument', ['add', 'argument-0123456789'], SECOND, 2],
    ['a short secret', ['add'], 'short', 2],
    ['two lines', ['add'], `${SECOND}\nthird-token-0123456789`, 2],
    ['an unknown fingerprint', ['remove', '0123456789ab', '--yes'], '', 3],
  ])('stays as it is after %s, which is not repeated', async (_case, args, stdin, exitCode) => {
    const { code, out, err } = await parley(args, stdin);

    expect([code, stored(), acts]).toEqual([exitCode, FIRST, []]);
    for (const secret of ['argument-0123456789', SECOND, 'third-token']) expect(out + err).not.toContain(secret);
  });

  it('stays without --yes', async () => {
    await parley(['add'], SECOND);

    expect((await parley(['remove', fingerprintOf(FIRST)])).code).toBe(2);
    expect(stored()).toBe(`${FIRST}\n${SECOND}`);
  });
});

describe('a secret of a stage with buffered ingress', () => {
  beforeEach(async () => {
    changeState({ webhookIngress: 'buffered' });
    await parley(['add'], SECOND);
  });
  const remove = (...args: readonly string[]) => parley(['remove', fingerprintOf(FIRST), '--yes', ...args]);
  const put = (QueueUrl: string, DelaySeconds = 0) =>
    target.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}', DelaySeconds }));

  it('is removed when no request waits', async () => {
    expect((await remove()).code).toBe(0);
    expect(stored()).toBe(SECOND);
  });

  it('stays while requests wait that may be signed with it, unless --force says that none is', async () => {
    await put(target.addresses.inboundQueueUrl);
    await put(target.addresses.inboundQueueUrl, 60);
    await target.sqs.send(new ReceiveMessageCommand({ QueueUrl: target.addresses.inboundQueueUrl }));
    const refused = await remove();
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('2 requests in the inbound queue')]);
    expect(stored()).toBe(`${FIRST}\n${SECOND}`);

    expect((await remove('--force')).code).toBe(0);
    expect(stored()).toBe(SECOND);
  });

  it('stays while a dead letter may have to be verified', async () => {
    await put(target.addresses.inboundDeadLetterQueueUrl);
    const { code, err } = await remove();
    expect([code, err]).toEqual([4, expect.stringContaining('1 dead letter')]);
  });
});

/** Stores a value as the stage's only secret, and says how the stage verifies requests. */
const useSecret = (value: string, webhookSecretKind: string): void => {
  changeState({ webhookSecretKind });
  const [version] = store.find(arn)?.versions ?? [];
  if (version) Object.assign(version, { secretString: value });
};

describe('a signing secret', () => {
  // As the stack creates it.
  const INITIAL = 'abcdefghijklmnopqrstuvwxyz012345';

  it.each([
    ['is no base64', '3f0c9a52-7c1e-4bb1-9d5c-0a4f3b9f7a11'],
    ['has fewer than 24 bytes', 'whsec_c2hvcnQtc2lnbmluZy1zZWNyZXQ='],
    ['has a character too many', `whsec_${'a'.repeat(33)}`],
    ['is cut off within a byte', `whsec_${'a'.repeat(34)}`],
  ])('is not stored if it %s, because the function would then refuse all', async (_case, secret) => {
    useSecret(INITIAL, 'standard-webhooks');

    expect((await parley(['add'], secret)).code).toBe(2);
    expect([stored(), acts]).toEqual([INITIAL, []]);
  });

  it.each(['whsec_', ''])('is stored with the prefix "%s"', async (prefix) => {
    useSecret(INITIAL, 'standard-webhooks');
    const secret = `${prefix}${Buffer.alloc(25, 7).toString('base64')}`;

    expect((await parley(['add'], secret)).code).toBe(0);
    expect(stored()).toBe(`${INITIAL}\n${secret}`);
  });

  it('can look like any token where requests are verified by a token', async () => {
    useSecret(INITIAL, 'shared-token');

    expect((await parley(['add'], 'whsec_3f0c9a52-7c1e-4bb1')).code).toBe(0);
  });
});

it('a stage without a webhook secret says so', async () => {
  await using other = await startLocalTarget();

  expect(await other.parley(['webhook-secret', 'list'])).toMatchObject({
    code: 4,
    err: expect.stringContaining('webhook.auth'),
  });
});
