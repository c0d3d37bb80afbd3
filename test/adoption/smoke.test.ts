import { describe, expect, it } from 'vitest';
import type { LocalCloud, LocalOptions } from '../../local/cloud/local-cloud.ts';
import { BUFFERED_STEPS } from '../../smoke/buffered-steps.ts';
import { createDeployedHost } from '../../smoke/deployed-host.ts';
import { createLocalHost } from '../../smoke/local-host.ts';
import { haveSucceeded, playSmoke, type SmokeHost } from '../../smoke/play-smoke.ts';
import { SmokeError } from '../../smoke/smoke-options.ts';
import { SMOKE_STEPS } from '../../smoke/smoke-steps.ts';
import { checkCanSign } from '../../smoke/webhook-signer.ts';
import { startTestCloud } from '../support/test-cloud.ts';

const ID = '50000017';

interface SmokeTest {
  readonly auth?: object;
  readonly ingress?: 'direct' | 'buffered';
  /** Breaks the stage after it has started. */
  readonly sabotage?: (cloud: LocalCloud) => void;
  readonly patienceMs?: number;
}

/** Runs the smoke test against a local run. */
const smoke = async ({ auth, ingress, sabotage = () => {}, patienceMs }: SmokeTest) => {
  const lines: string[] = [];
  const startCloud = async (options: LocalOptions) => {
    const cloud = await startTestCloud(options);
    sabotage(cloud);
    return cloud;
  };
  const settings = auth === undefined ? {} : { webhook: { auth, ingress } };
  const host = createLocalHost({ id: ID, stage: 'dev', settings, startCloud, patienceMs, samples: 2 });
  const played = await playSmoke(host, SMOKE_STEPS, { id: ID, print: (line) => lines.push(line), keep: false });
  return { succeeded: haveSucceeded(played), lines };
};

const titlesOf = (lines: readonly string[]) =>
  lines.map((line) => line.replace(/^(\w+) +[\d.]+ s {2}([^:]*):.*$/s, '$1 $2'));

describe('the smoke test', () => {
  it.each([
    ['pubsub-jwt', undefined],
    ['standard-webhooks', { kind: 'standard-webhooks' }],
    ['shared-token', { kind: 'shared-token', header: 'x-token', envelope: 'pubsub' }],
  ])('succeeds with %s', async (_kind, auth) => {
    const { succeeded, lines } = await smoke({ auth });

    expect(titlesOf(lines), lines.join('\n')).toEqual([
      'ok The local run starts',
      ...SMOKE_STEPS.map(({ title }) => `ok ${title}`),
      'ok The local run stops',
    ]);
    expect(succeeded).toBe(true);
  });

  it.each([
    ['standard-webhooks', { kind: 'standard-webhooks' }],
    ['shared-token', { kind: 'shared-token', header: 'Auth-BM-Token' }],
  ])('asks what a buffered ingress with %s assumes', async (_kind, auth) => {
    const { succeeded, lines } = await smoke({ auth, ingress: 'buffered' });

    expect(succeeded, lines.join('\n')).toBe(true);
    for (const { title } of BUFFERED_STEPS) {
      const line = lines.find((one) => one.includes(title));
      expect(line).toMatch(/^ok/);
      expect(line).not.toMatch(/not checked/);
    }
  });

  it('says that the chat service refuses the token, and stops the run', async () => {
    const sabotage = ({ emulators: { secrets }, accessTokenSecretId }: LocalCloud) => {
      const secret = secrets.find(accessTokenSecretId);
      if (secret) secrets.put(secret, 'another-token');
    };

    const { succeeded, lines } = await smoke({ sabotage });

    expect(succeeded).toBe(false);
    expect(lines.at(-2)).toMatch(/^FAILED +[\d.]+ s {2}The chat service accepts the access token: .*HTTP 401/);
    expect(titlesOf(lines).at(-1)).toBe('ok The local run stops');
  });

  it('says which events are missing', async () => {
    const sabotage = ({ emulators: { buses } }: LocalCloud) =>
      buses.setFault(({ DetailType }) =>
        DetailType === 'SendAccepted' ? { errorCode: 'InternalFailure', message: 'not now' } : undefined,
      );

    const { succeeded, lines } = await smoke({ sabotage, patienceMs: 5_000 });

    expect(succeeded).toBe(false);
    expect(lines.at(-2)).toMatch(
      /^FAILED .*Everything is published as events: Expected within 5 seconds: .*SendAccepted.* Seen: only (?!.*SendAccepted)/,
    );
  });
});

describe('a failed smoke test', () => {
  const hostThat = (later: string | undefined) => {
    const calls: string[] = [];
    const host: SmokeHost = {
      preparations: [
        {
          title: 'The stage is deployed',
          run: async () => {
            throw new SmokeError('No permission.');
          },
        },
      ],
      stage: () => Promise.reject(new Error('No step may run.')),
      removal: {
        title: 'The stage is deleted',
        later,
        run: async () => {
          calls.push('removed');
          return 'done';
        },
      },
    };
    return { host, calls };
  };
  const play = async (host: SmokeHost, keep: boolean) => {
    const lines: string[] = [];
    const played = await playSmoke(host, SMOKE_STEPS, { id: ID, print: (line) => lines.push(line), keep });
    return { succeeded: haveSucceeded(played), lines };
  };

  it('deletes the stage, even if its deployment failed', async () => {
    const { host, calls } = hostThat('npx cdk destroy');
    const { succeeded, lines } = await play(host, false);

    expect(succeeded).toBe(false);
    expect(titlesOf(lines)).toEqual(['FAILED The stage is deployed', 'ok The stage is deleted']);
    expect(calls).toEqual(['removed']);
  });

  it('leaves the stage with --keep, and says how to delete it', async () => {
    const { host, calls } = hostThat('npx cdk destroy');
    const { lines } = await play(host, true);

    expect(lines.at(-1)).toBe('The stage is kept. Remove it with: npx cdk destroy');
    expect(calls).toEqual([]);
  });
});

describe('a production stage', () => {
  it('is refused before anything is deployed', async () => {
    const options = { stage: 'prod', account: '111122223333', chatServiceUrl: 'https://sandbox.example' };
    const host = createDeployedHost(
      { kind: 'deployed', ...options, accessToken: 'token', region: 'eu-west-1', keep: false },
      ID,
    );

    await expect(host.preparations[0]?.run()).rejects.toThrow('prod is a production stage.');
    expect(await host.removal.run()).toBe('nothing was deployed');
  });
});

describe('signatures that the smoke test cannot make', () => {
  const pubsub = { audience: 'a', serviceAccountEmail: 'a@b.example' };
  const jwksUrl = 'https://www.googleapis.com/oauth2/v3/certs';

  it('are refused before anything is deployed', () => {
    const topicArn = 'arn:aws:sns:eu-west-1:444455556666:chat-events';
    expect(() => checkCanSign({ kind: 'sns', topicArn }, 'https://sandbox.example')).toThrow(
      'only Amazon SNS can make',
    );
    expect(() => checkCanSign({ kind: 'pubsub-jwt', ...pubsub, jwksUrl }, 'https://sandbox.example')).toThrow(
      `only the owner of the keys at ${jwksUrl} can sign`,
    );
  });

  it("do not include the sandbox's own tokens", () => {
    const own = { kind: 'pubsub-jwt' as const, ...pubsub, jwksUrl: 'https://sandbox.example/keys' };
    expect(() => checkCanSign(own, 'https://sandbox.example')).not.toThrow();
  });
});
