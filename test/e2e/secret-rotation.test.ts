import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../cli/operations/webhook-secrets.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { wireMessage } from '../support/builders.ts';
import { type CommandRun, startCommandRun } from '../support/command-run.ts';
import { loggedMetrics } from '../support/stack-metrics.ts';

// A token is rotated with the operator's command while events arrive, through the deployed function.

const HEADER = 'auth-bm-token';
const NEW_TOKEN = 'a-new-token-0123456789';

let run: CommandRun;
let oldToken: string;

beforeAll(async () => {
  run = await startCommandRun({ settings: { webhook: { auth: { kind: 'shared-token', header: HEADER } } } });
  oldToken = run.cloud.emulators.secrets.find(run.cloud.webhookSecretId ?? '')?.versions[0]?.secretString ?? 'no token';
});
afterAll(() => run?.[Symbol.asyncDispose]());

const post = async (id: string, token: string): Promise<number> => {
  const CREATION_TIME = run.cloud.clock.now().toISOString();
  const body = JSON.stringify(wireMessage({ _id_: id, FROM: '+5491155550080', CREATION_TIME }));
  return (await fetch(run.cloud.webhookUrl, { method: 'POST', headers: { [HEADER]: token }, body })).status;
};
const doctor = async (): Promise<readonly string[]> => {
  const { out } = await run.parley(['doctor', '--json']);
  const findings: { readonly check: string; readonly grade: string; readonly message: string }[] =
    JSON.parse(out).findings;
  return findings.filter(({ check }) => check === 'webhook').map(({ grade, message }) => `${grade}: ${message}`);
};
const log = async (): Promise<string> => {
  const folder = join(run.folder, 'logs');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.log'));
  return (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('\n');
};

describe('a token', () => {
  it('is rotated without a refused event, and doctor proves from the outside that both are accepted', async () => {
    expect(await post('before', oldToken)).toBe(200);
    expect((await run.parley(['webhook-secret', 'add'], { stdin: NEW_TOKEN })).code).toBe(0);
    // The function reads the secret again for a token that it does not know, at most once every ten seconds.
    await run.client.advanceClock(11);
    for (const round of [1, 2]) {
      expect([await post(`new-${round}`, NEW_TOKEN), await post(`old-${round}`, oldToken)]).toEqual([200, 200]);
    }

    expect(await doctor()).toContain(
      'ok: The webhook accepts each of its 2 secrets: it accepted a test request for each, which Parley did not store.',
    );
    expect(await run.client.queueDepth(run.cloud.inboundDeadLetterQueueUrl)).toBe(0);
    expect(await log()).not.toContain('LikelyEventRefused');
  });

  it('that is removed too early is reported at once, with its likely cause and without the token', async () => {
    expect((await run.parley(['webhook-secret', 'remove', fingerprintOf(oldToken), '--yes'])).code).toBe(0);
    await run.client.advanceClock(6 * 60);
    expect([await post('refused', oldToken), await post('accepted', NEW_TOKEN)]).toEqual([401, 200]);

    const logged = await waitFor('the refusal is counted', async () => {
      const text = await log();
      return text.split('\n').some((line) => loggedMetrics(line).some((name) => name.includes(' LikelyEventRefused ')))
        ? text
        : undefined;
    });
    expect(logged).toContain('an old one was removed too early, or one was replaced on one side only');
    for (const token of [oldToken, NEW_TOKEN]) expect(logged).not.toContain(token);
    expect(await doctor()).toContain(
      'ok: The webhook accepts its secret: it accepted a test request, which Parley did not store.',
    );
  });
});
