import { setTimeout as pause } from 'node:timers/promises';
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { findTarget, type Target } from '../cli/base/target.ts';
import { AWS_CALL } from '../cli/operations/aws-call.ts';
import { createManagementClient } from '../cli/operations/management-client.ts';
import { createSignedFetch } from '../cli/operations/signed-fetch.ts';
import { readStageSettings } from '../lib/settings/read-stage-settings.ts';
import { readCdkApp } from '../local/stack/cdk-app.ts';
import { type AwsAccount, openAccount } from './aws-account.ts';
import { createEventsQueue, eventsQueueName, eventsTo, policyFor } from './events-queue.ts';
import type { SmokeHost } from './play-smoke.ts';
import { type DeployedOptions, SmokeError } from './smoke-options.ts';
import type { EventsQueue, SmokeStage } from './smoke-stage.ts';
import { callSandbox, checkCanSign } from './webhook-signer.ts';

const API_TIMEOUT_MS = 20_000;
const PATIENCE_MS = 90_000;
/** CloudWatch evaluates a new alarm within a few of its periods. */
const ALARM_PATIENCE_MS = 10 * 60_000;
const EVALUATION_MS = 15_000;
const SAMPLES = 20;

/** What is deployed. */
export interface Deployment {
  readonly stackName: string;
  /** Arguments that make the CDK synthesize the stack. */
  readonly cdkArgs: readonly string[];
  /** Settings that override those of the stage. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Targets of events besides the test's queue. */
  readonly targets: readonly object[];
  /** Ends the name of the test's queue. */
  readonly queueId: string;
}

/** The stage as the app of cdk.json deploys it. */
const stageOf = ({ stage }: DeployedOptions, queueId: string): Deployment => ({
  stackName: `Parley-${stage}`,
  cdkArgs: [],
  settings: {},
  targets: [],
  queueId,
});

/** Deploys a stage of its own with the CDK, and deletes it at the end. */
export const createDeployedHost = (
  options: DeployedOptions,
  id: string,
  deployment: Deployment = stageOf(options, id),
  open: () => Promise<AwsAccount> = () => openAccount(options),
): SmokeHost => {
  const { stage: stageName, account, chatServiceUrl } = options;
  const { stackName } = deployment;
  const overrides = overridesOf(options, deployment);
  let aws: AwsAccount | undefined;
  let queue: EventsQueue | undefined;
  let isDeployed = false;
  let stage: SmokeStage | undefined;

  /** Refuses before anything is created. */
  const check = async (): Promise<string> => {
    const settings = await readSettings(stageName, overrides);
    if (settings.production) {
      throw new SmokeError(`${stageName} is a production stage. The smoke test deletes its stage, so use another one.`);
    }
    checkCanSign(settings.webhook.auth, chatServiceUrl);
    await callSandbox(chatServiceUrl, 'GET', '/outbox');
    const opened = await open();
    if (await opened.findStack(stackName)) {
      throw new SmokeError(
        `The stack ${stackName} already exists in ${opened.region}. The smoke test deletes its stage, so use another ` +
          `one, or delete the stack first: aws cloudformation delete-stack --stack-name ${stackName} --region ${opened.region}`,
      );
    }
    aws = opened;
    return `${account}, ${opened.region}`;
  };

  const deploy = async (): Promise<string> => {
    if (aws === undefined) throw new SmokeError('The account was not checked.');
    const { region, credentials } = aws;
    const name = eventsQueueName(deployment.queueId, region, account);
    queue = await createEventsQueue(new SQSClient({ ...AWS_CALL, region, credentials }), name, policyFor(name));
    isDeployed = true;
    await deployStage(aws, options, deployment);
    const target = await findTarget({ stack: stackName, region }, {}, '');
    await storeToken(target, options);
    const settings = await readSettings(stageName, overrides);
    stage = stageIn(target, { settings, chatServiceUrl, events: queue });
    return `${stackName}, webhook ${target.addresses.webhookUrl}`;
  };

  const remove = async (): Promise<string> => {
    if (isDeployed) await aws?.deleteStack(stackName);
    await queue?.remove();
    return isDeployed ? `${stackName} and its data` : 'nothing was deployed';
  };

  return {
    preparations: [
      { title: 'The stage, the account, and the sandbox are suitable', run: check },
      { title: 'The stage is deployed', run: deploy },
    ],
    async stage() {
      if (stage === undefined) throw new SmokeError('The stage is not deployed.');
      return stage;
    },
    removal: {
      title: 'The stage is deleted',
      run: remove,
      get later() {
        return isDeployed
          ? `aws cloudformation delete-stack --stack-name ${stackName} --region ${aws?.region}\n` +
              `Then delete the queue ${queue?.name}.`
          : undefined;
      },
    },
  };
};

const storeToken = async ({ secretsManager, addresses }: Target, { accessToken }: DeployedOptions): Promise<void> => {
  const SecretId = addresses.accessTokenSecretId;
  await secretsManager.send(new PutSecretValueCommand({ SecretId, SecretString: accessToken }));
};

const stageIn = (target: Target, parts: Pick<SmokeStage, 'settings' | 'chatServiceUrl' | 'events'>): SmokeStage => {
  const signer = { region: target.region, credentials: target.credentials };
  return {
    ...parts,
    target,
    api: createManagementClient(target.addresses.managementUrl, createSignedFetch(signer, API_TIMEOUT_MS)),
    patienceMs: PATIENCE_MS,
    alarmPatienceMs: ALARM_PATIENCE_MS,
    samples: SAMPLES,
    untilNextEvaluation: () => pause(EVALUATION_MS),
    now: () => new Date(),
  };
};

const overridesOf = ({ chatServiceUrl }: DeployedOptions, { settings }: Deployment) => ({
  ...settings,
  chatService: { baseUrl: chatServiceUrl },
});

/** Deploys a stage whose events go to the test's queue, or a change of it. */
export const deployStage = (aws: AwsAccount, options: DeployedOptions, deployment: Deployment): Promise<void> => {
  const name = eventsQueueName(deployment.queueId, aws.region, aws.account);
  const settings = { ...overridesOf(options, deployment), ...eventsTo(name, deployment.targets) };
  return deployStack(aws, deployment, options.stage, settings);
};

/** Deploys a stack with these settings of a stage. @throws SmokeError with the end of the CDK's output */
export const deployStack = (
  aws: AwsAccount,
  { stackName, cdkArgs }: Pick<Deployment, 'stackName' | 'cdkArgs'>,
  stage: string,
  settings: object,
): Promise<void> =>
  aws.runCdk([
    'deploy',
    stackName,
    ...cdkArgs,
    '-c',
    `stage=${stage}`,
    '-c',
    `settings=${JSON.stringify(settings)}`,
    '--require-approval',
    'never',
  ]);

const readSettings = async (stage: string, settings: object) =>
  readStageSettings({
    stages: (await readCdkApp(process.cwd())).context.stages,
    stage,
    settings,
    // A production stage is refused as such, not because of its addresses.
    localRun: true,
  }).settings;
