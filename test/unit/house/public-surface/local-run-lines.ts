import { awsEnvironment } from '../../../../local/base/aws-environment.ts';
import { localState } from '../../../../local/cloud/local-state.ts';
import { HELP as START_HELP } from '../../../../local/start-options.ts';
import { HELP as SANDBOX_HELP } from '../../../../sandbox/command-line.ts';

/** Lists the options and environment variables of the local run and the sandbox, and the files of a run. */
export const localRunLines = (): readonly string[] => {
  const service = 'http://127.0.0.1';
  const urls = { dynamodb: service, sqs: service, secretsManager: service };
  const env = awsEnvironment({ ...urls, eventBridge: service, scheduler: service, cloudWatch: service });
  const name = 'name';
  const state = localState({
    consoleUrl: service,
    webhookUrl: service,
    managementUrl: service,
    chatServiceUrl: service,
    sendQueueUrl: service,
    sendDeadLetterQueueUrl: service,
    scheduleDeadLetterQueueUrl: service,
    inboundQueueUrl: service,
    inboundDeadLetterQueueUrl: service,
    erasureQueueUrl: service,
    erasureDeadLetterQueueUrl: service,
    publishFailuresQueueUrl: service,
    tableName: name,
    eventBusName: name,
    eventsQueueUrl: service,
    accessTokenSecretId: name,
    env,
  });
  return [
    ...termsOf(START_HELP).map((term) => `npm start: ${term}`),
    ...termsOf(SANDBOX_HELP).map((term) => `npm run sandbox: ${term}`),
    ...Object.keys(state).map((field) => `.parley/local.json: ${field}`),
    ...Object.keys(env).map((variable) => `.parley/local.json: env.${variable}`),
  ];
};

/** Finds the options and environment variables that a help text describes. */
const termsOf = (help: string): readonly string[] =>
  [...help.matchAll(/^ {2}(--[a-z-]+(?: [A-Z0-9]+)?|[A-Z_]+) /gm)].map(([, term = '']) => term);
