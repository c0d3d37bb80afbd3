import { z } from 'zod';
import { countAllMessages } from '../../lambdas/adapters/sqs-backlog.ts';
import type { AwsAccount } from '../aws-account.ts';
import { createDeployedHost, type Deployment, deployStage } from '../deployed-host.ts';
import { eventually, NotYet } from '../eventually.ts';
import { createLocalHost, type LocalHostOptions } from '../local-host.ts';
import { createSmokeId, type PlayedStep, playSmoke, type SmokeHost } from '../play-smoke.ts';
import type { DeployedOptions } from '../smoke-options.ts';
import type { SmokeStep } from '../smoke-stage.ts';
import { SMOKE_STEPS } from '../smoke-steps.ts';
import { callSandbox } from '../webhook-signer.ts';
import { createFailedCreate } from './failed-create.ts';
import { matrixArgs } from './matrix-args.ts';
import { createProbesHost } from './probes-host.ts';
import { type Answer, askingStep, PROBE_QUESTIONS, type Question, ROLLOUT_QUESTIONS } from './questions.ts';
import { type SmokeNetwork, stackNameOf, VARIANTS, type Variant } from './variants.ts';

/** A part of a matrix. It runs even if an earlier part failed. */
export interface MatrixPart {
  readonly name: string;
  readonly title: string;
  readonly notTested: string | undefined;
  readonly play: (print: (line: string) => void) => Promise<readonly PlayedStep[]>;
}

export interface AwsMatrix {
  readonly id: string;
  readonly stage: DeployedOptions;
  readonly network: SmokeNetwork | undefined;
  readonly account: () => Promise<AwsAccount>;
  /** Receives the answers. */
  readonly record: (question: Question, answer: Answer) => void;
}

/** Each part has users and messages of its own, because all of them share a sandbox. */
const partOf = <Stage>(
  { name, title }: Pick<MatrixPart, 'name' | 'title'>,
  notTested: string | undefined,
  createHost: (id: string) => SmokeHost<Stage>,
  steps: readonly SmokeStep<Stage>[],
): MatrixPart => ({
  name,
  title,
  notTested,
  play(print) {
    const id = createSmokeId();
    return playSmoke(createHost(id), steps, { id, print, keep: false });
  },
});

const MINUTE_MS = 60_000;

/** CloudTrail records a call within about 15 minutes. */
const WAITS = { patienceMs: 20 * MINUTE_MS, pollMs: 10_000 };

/** What a matrix tests in an account. The failed deployment and the variant after it have the same stack name. */
export const awsParts = (options: AwsMatrix): readonly MatrixPart[] => {
  const { id, stage, account, network, record } = options;
  const asking = PROBE_QUESTIONS.map((question) => askingStep(question, (answer) => record(question, answer)));
  return [
    partOf(
      { name: 'probes', title: 'what only an account can answer' },
      undefined,
      () => createProbesHost(id, account, WAITS),
      asking,
    ),
    partOf(
      { name: 'failed', title: 'a first production deployment that fails' },
      undefined,
      () => createFailedCreate({ ...stage, id, account }),
      [],
    ),
    ...VARIANTS.map((variant) => {
      const deployment = deploymentOf(variant, options);
      const isWithoutVpc = variant.name === 'network' && network === undefined;
      return partOf(
        variant,
        isWithoutVpc ? 'a VPC: pass --vpc and --subnets' : undefined,
        (subject) => createDeployedHost(stage, subject, deployment, account),
        [...SMOKE_STEPS, ...stepsOf(variant, deployment, options)],
      );
    }),
  ];
};

/** The target of the variant `bus`: the sandbox has no such path, so it logs the request and answers 404. */
const targetPath = (id: string): string => `/api/v1.0/smoke-target/${id}`;

const deploymentOf = ({ name, settings }: Variant, { id, stage, network }: AwsMatrix): Deployment => {
  const stackName = stackNameOf(id, name);
  // Only an event that the last step causes, so that no alarm of undelivered events starts before.
  const target = { kind: 'https', url: `${stage.chatServiceUrl}${targetPath(id)}`, events: ['SendingStopped'] };
  return {
    stackName,
    settings,
    cdkArgs: matrixArgs({ stackName, part: name, network }),
    targets: name === 'bus' ? [target] : [],
    queueId: `${id}-${name}`,
  };
};

const stepsOf = (variant: Variant, deployment: Deployment, options: AwsMatrix): readonly SmokeStep[] => {
  if (variant.name === 'bus') return [httpsTargetStep(options.id)];
  return variant.name === 'network' ? rolloutSteps(deployment, options) : [];
};

const calls = z.object({ calls: z.array(z.object({ path: z.string() })) });

const httpsTargetStep = (id: string): SmokeStep => ({
  title: 'An https target receives an event, and one that it refuses is kept',
  async run({ api, chatServiceUrl, target, patienceMs }) {
    await api('POST', '/v1/stops', { note: 'smoke test' });
    await eventually('the event at the https target', patienceMs, async () => {
      const { calls: received } = calls.parse(await callSandbox(chatServiceUrl, 'GET', '/calls'));
      return received.some(({ path }) => path === targetPath(id)) ? true : new NotYet('no such call');
    });
    const { undeliveredEventsQueueUrl = '' } = target.addresses;
    return eventually('the event among the undelivered ones', patienceMs, async () => {
      const count = await countAllMessages(target.sqs, undeliveredEventsQueueUrl);
      return count > 0 ? 'received, answered with 404, and kept' : new NotYet('no such message');
    });
  },
});

/** Deploys a change of a function's variables, which becomes a new version, and asks what CodeDeploy did meanwhile. */
const rolloutSteps = (deployment: Deployment, { stage, account, record }: AwsMatrix): readonly SmokeStep[] => {
  const settings = { ...deployment.settings, window: { marginSeconds: 61 } };
  let sinceSeconds = 0;
  const asking = ROLLOUT_QUESTIONS.map((question): SmokeStep => {
    const { title, run } = askingStep(question, (answer) => record(question, answer));
    return {
      title,
      async run(_stage, subject) {
        const aws = await account();
        const resources = await aws.resources(deployment.stackName);
        return run({ aws, resources, ...WAITS, sinceSeconds }, subject);
      },
    };
  });
  return [
    {
      title: 'A change is rolled out gradually',
      async run() {
        sinceSeconds = Date.now() / 1000;
        await deployStage(await account(), stage, { ...deployment, settings });
        return 'window.marginSeconds';
      },
    },
    ...asking,
  ];
};

/** What a matrix tests in local runs: the variants as far as they are settings. */
export const localParts = (options: Omit<LocalHostOptions, 'id'>): readonly MatrixPart[] =>
  VARIANTS.map((variant) =>
    partOf(
      variant,
      variant.onlyInAws,
      (id) => createLocalHost({ ...options, id, settings: { ...options.settings, ...variant.settings } }),
      SMOKE_STEPS,
    ),
  );
