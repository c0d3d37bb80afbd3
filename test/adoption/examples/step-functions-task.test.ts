import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { CfnOutput } from 'aws-cdk-lib';
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createSignedFetch } from '../../../cli/operations/signed-fetch.ts';
import { ShipmentProcess } from '../../../examples/producers/step-functions-task.ts';
import { CREDENTIALS, REGION } from '../../../local/base/aws-environment.ts';
import { createRunFolder, type RunFolder } from '../../../local/base/run-folder.ts';
import { createLocalClient, type LocalClient } from '../../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { startTestCloud } from '../../support/test-cloud.ts';
import { type ExampleStack, startExampleStack } from './example-stack.ts';
import { installInterpreter, type RunnableStateMachine } from './step-functions-interpreter.ts';

// The state machine runs in an interpreter, from the definition in the template. Its two tasks do what Step Functions
// would do with their parameters: send a message to the queue, and call the API with a signature.

const CONTACT = '+5491155610001';

let cloud: LocalCloud;
let client: LocalClient;
let stack: ExampleStack;
let folder: RunFolder;
let stateMachine: RunnableStateMachine;

beforeAll(async () => {
  cloud = await startTestCloud();
  client = createLocalClient(cloud);
  const id = await client.userWrites(CONTACT, { text: 'Hi' });
  await waitFor('the message is stored', async () => (await client.table())[`MESSAGE#${id} MESSAGE`]);
  stack = await startExampleStack(cloud, (scope, { sendQueue }) => {
    const managementApi = HttpApi.fromHttpApiAttributes(scope, 'ManagementApi', { httpApiId: 'management' });
    const { stateMachine } = new ShipmentProcess(scope, 'Shipment', { sendQueue, managementApi });
    const { defaultChild } = stateMachine.node;
    if (!(defaultChild instanceof CfnStateMachine)) throw new Error('There is no state machine.');
    new CfnOutput(scope, 'Definition', { value: defaultChild.definitionString ?? '' });
  });
  folder = await createRunFolder();
  const StateMachine = await installInterpreter(folder.path);
  stateMachine = new StateMachine(JSON.parse(stack.outputs.Definition ?? ''), {});
});
afterAll(async () => {
  client?.close();
  await folder?.[Symbol.asyncDispose]();
  await stack?.[Symbol.asyncDispose]();
  await cloud?.close();
});

const sendMessageParameters = z.strictObject({
  QueueUrl: z.string(),
  MessageBody: z.record(z.string(), z.unknown()),
  MessageGroupId: z.string(),
  MessageDeduplicationId: z.string(),
});
const invokeParameters = z.strictObject({
  ApiEndpoint: z.literal(`management.execute-api.${REGION}.amazonaws.com`),
  Method: z.literal('GET'),
  Path: z.string(),
  QueryParameters: z.record(z.string(), z.array(z.string())),
  AuthType: z.literal('IAM_ROLE'),
});

const queueMessage = async (parameters: unknown): Promise<unknown> => {
  const { MessageBody, ...message } = sendMessageParameters.parse(parameters);
  const command = new SendMessageCommand({ ...message, MessageBody: JSON.stringify(MessageBody) });
  const { MessageId } = await cloud.emulators.sqs.send(command);
  return { MessageId };
};
const readState = async (parameters: unknown): Promise<unknown> => {
  const { Method, Path, QueryParameters } = invokeParameters.parse(parameters);
  const signedFetch = createSignedFetch({ region: REGION, credentials: async () => CREDENTIALS }, 30_000);
  const url = new URL(`${cloud.managementUrl}${Path}`);
  for (const [name, [value = '']] of Object.entries(QueryParameters)) url.searchParams.set(name, value);
  const response = await signedFetch(Method, url);
  if (response.ok) return { StatusCode: response.status, ResponseBody: await response.json() };
  throw Object.assign(new Error(await response.text()), { name: `ApiGateway.${response.status}` });
};
const run = (input: object): Promise<unknown> =>
  stateMachine.run(input, {
    overrides: {
      taskResourceLocalHandlers: { 'Queue the message': queueMessage, 'Read its state': readState },
      waitTimeOverrides: { Wait: 200 },
      retryIntervalOverrides: { 'Read its state': 200 },
    },
  }).result;

const input = (shipmentId: string, phone = CONTACT) => ({
  shipmentId,
  phone,
  text: 'Your order is on its way.',
  sendBefore: new Date(cloud.clock.now().getTime() + 3_600_000).toISOString(),
});
const sentTo = async (contact: string) =>
  (await client.outbox()).filter(({ body }) => body.platformContactId === contact);

it('sends a message once, even if the task runs twice, and ends when the chat service has accepted it', async () => {
  const shipment = input('shipment-2042');
  expect(await run(shipment)).toMatchObject({ shipmentId: 'shipment-2042', send: { state: 'accepted' } });
  expect(await run(shipment)).toMatchObject({ send: { state: 'accepted' } });
  expect(await sentTo(CONTACT)).toHaveLength(1);
});

it('waits while the send waits', async () => {
  await client.control('PATCH', '/account', { credit: 0 });
  const running = run(input('shipment-2043'));
  await waitFor(
    'it waits',
    async () => (await client.table())['SEND#shipment-2043 SEND']?.state === 'waiting' || undefined,
  );
  await client.control('PATCH', '/account', { credit: 1000 });
  expect(await running).toMatchObject({ send: { state: 'accepted' } });
});

it('fails with the state if the message is not sent', async () => {
  // This user has never written, so a free-form message is refused.
  await expect(run(input('shipment-2044', '+5491155610002'))).rejects.toMatchObject({
    message: expect.stringContaining('refused'),
  });
});
