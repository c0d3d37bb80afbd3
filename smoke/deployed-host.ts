import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { findTarget } from '../cli/base/target.ts';
import { AWS_CALL } from '../cli/operations/aws-call.ts';
import { readCaller } from '../cli/operations/caller-identity.ts';
import { createManagementClient } from '../cli/operations/management-client.ts';
import { createSignedFetch } from '../cli/operations/signed-fetch.ts';
import { readStageSettings } from '../lib/settings/read-stage-settings.ts';
import { readCdkApp } from '../local/stack/cdk-app.ts';
import { createEventsQueue, eventsQueueName, eventsTo, policyFor } from './events-queue.ts';
import type { SmokeHost } from './play-smoke.ts';
import { SmokeError, type SmokeOptions } from './smoke-options.ts';
import type { EventsQueue, SmokeStage } from './smoke-stage.ts';
import { callSandbox, checkCanSign } from './webhook-signer.ts';

type DeployedOptions = Extract<SmokeOptions, { kind: 'deployed' }>;

const API_TIMEOUT_MS = 20_000;
const PATIENCE_MS = 90_000;
/** CloudWatch evaluates a new alarm within a few of its periods. */
const ALARM_PATIENCE_MS = 10 * 60_000;
const EVALUATION_MS = 15_000;

/** Deploys a stage of its own with the CDK, and deletes it at the end. */
export const createDeployedHost = (options: DeployedOptions, id: string): SmokeHost => {
  const { stage: stageName, account, chatServiceUrl, accessToken } = options;
  const stackName = `Parley-${stageName}`;
  const cloudFormation = new CloudFormationClient({ ...AWS_CALL, region: options.region });
  let region = '';
  let queue: EventsQueue | undefined;
  let isDeployed = false;
  let stage: SmokeStage | undefined;

  /** Refuses before anything is created. */
  const check = async (): Promise<string> => {
    const { settings } = await readSettings(stageName, chatServiceUrl);
    if (settings.production) {
      throw new SmokeError(`${stageName} is a production stage. The smoke test deletes its stage, so use another one.`);
    }
    checkCanSign(settings.webhook.auth, chatServiceUrl);
    await callSandbox(chatServiceUrl, 'GET', '/outbox');
    region = await cloudFormation.config.region();
    const { account: actual } = await readCaller({ region, credentials: () => cloudFormation.config.credentials() });
    if (actual !== account) {
      throw new SmokeError(`The AWS credentials belong to the account ${actual}, but --account is ${account}.`);
    }
    if (await exists(cloudFormation, stackName)) {
      throw new SmokeError(
        `The stack ${stackName} already exists in ${region}. The smoke test deletes its stage, so use another one, or ` +
          `delete the stack first: npx cdk destroy -c stage=${stageName}`,
      );
    }
    return `${account}, ${region}`;
  };

  const deploy = async (): Promise<string> => {
    const credentials = cloudFormation.config.credentials;
    const name = eventsQueueName(id, region, account);
    const settings = { chatService: { baseUrl: chatServiceUrl }, ...eventsTo(name) };
    queue = await createEventsQueue(new SQSClient({ ...AWS_CALL, region, credentials }), name, policyFor(name));
    isDeployed = true;
    await runCdk(['deploy', ...stageContext(stageName, settings), '--require-approval', 'never'], region);
    const target = await findTarget({ stage: stageName, region }, {}, '');
    const { secretsManager, addresses } = target;
    const SecretId = addresses.accessTokenSecretId;
    await secretsManager.send(new PutSecretValueCommand({ SecretId, SecretString: accessToken }));
    stage = {
      target,
      api: createManagementClient(
        addresses.managementUrl,
        createSignedFetch({ region, credentials: target.credentials }, API_TIMEOUT_MS),
      ),
      settings: (await readSettings(stageName, chatServiceUrl)).settings,
      chatServiceUrl,
      events: queue,
      patienceMs: PATIENCE_MS,
      alarmPatienceMs: ALARM_PATIENCE_MS,
      untilNextEvaluation: () => pause(EVALUATION_MS),
      now: () => new Date(),
    };
    return `${stackName}, webhook ${addresses.webhookUrl}`;
  };

  const remove = async (): Promise<string> => {
    if (isDeployed) await runCdk(['destroy', ...stageContext(stageName, {}), '--force'], region);
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
        const queueName = queue?.name;
        return isDeployed
          ? `npx cdk destroy -c stage=${stageName} --force, and delete the queue ${queueName} in ${region}`
          : undefined;
      },
    },
  };
};

const readSettings = async (stage: string, baseUrl: string) =>
  readStageSettings({
    stages: (await readCdkApp(process.cwd())).context.stages,
    stage,
    settings: { chatService: { baseUrl } },
    // A production stage is refused as such, not because of its addresses.
    localRun: true,
  });

const stageContext = (stage: string, settings: object): readonly string[] => [
  '-c',
  `stage=${stage}`,
  ...(Object.keys(settings).length === 0 ? [] : ['-c', `settings=${JSON.stringify(settings)}`]),
];

const exists = async (client: CloudFormationClient, StackName: string): Promise<boolean> => {
  try {
    await client.send(new DescribeStacksCommand({ StackName }));
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes('does not exist')) return false;
    throw error;
  }
};

const SHOWN_LINES = 20;

/** Runs the CDK. @throws SmokeError with the end of its output if it fails */
const runCdk = async (args: readonly string[], region: string): Promise<void> => {
  const cdk = spawn('npx', ['cdk', ...args, '--progress', 'events'], {
    env: { ...process.env, AWS_REGION: region, AWS_DEFAULT_REGION: region },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [cdk.stdout, cdk.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => cdk.once('close', resolve).once('error', reject));
  if (code === 0) return;
  const end = output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
  throw new SmokeError(`cdk ${args[0]} ended with ${code}:\n${end}`);
};
