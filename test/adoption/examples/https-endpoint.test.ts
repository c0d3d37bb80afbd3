import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parseParleyEvent } from '@parleyhq/parley/events';
import { CfnOutput, RemovalPolicy } from 'aws-cdk-lib';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EventTargets } from '../../../lib/constructs/event-targets.ts';
import { createLocalClient, type LocalClient } from '../../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { startTestCloud } from '../../support/test-cloud.ts';
import { type ExampleStack, startExampleStack } from './example-stack.ts';
import { exampleEnvironment } from './run-example.ts';

// The target is that of the setting `events.targets`, with a key that the stack generates. Only its URL is replaced, as a
// certificate for this machine would be trusted by nobody.

const URL_IN_SETTINGS = 'https://crm.example/parley';

let cloud: LocalCloud;
let client: LocalClient;
let stack: ExampleStack;
let endpoint: ChildProcess;
let url: string;

const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
};

const startEndpoint = (port: number, queueUrl: string): ChildProcess => {
  const secret = cloud.emulators.secrets.find(stack.outputs.KeyId ?? '')?.versions[0]?.secretString;
  const file = join(import.meta.dirname, '../../../examples/consumers/https-endpoint.ts');
  const PARLEY_KEY = secret ?? '';
  const env = { ...exampleEnvironment(cloud), PARLEY_KEY, EVENT_QUEUE_URL: queueUrl, PORT: String(port) };
  return spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
};

const statusOf = (headers: Record<string, string>): Promise<number | undefined> =>
  fetch(url, { method: 'POST', headers, body: '{}' }).then(
    ({ status }) => status,
    () => undefined,
  );

beforeAll(async () => {
  cloud = await startTestCloud();
  client = createLocalClient(cloud);
  const port = await freePort();
  url = `http://127.0.0.1:${port}/parley`;
  stack = await startExampleStack(
    cloud,
    (scope, { eventBus }) => {
      const targets = [{ kind: 'https' as const, url: URL_IN_SETTINGS, header: 'x-api-key' }];
      const { node } = new EventTargets(scope, 'Targets', { eventBus, targets, removalPolicy: RemovalPolicy.DESTROY });
      const key = node.findAll().find((child) => child instanceof CfnSecret);
      new CfnOutput(scope, 'KeyId', { value: key?.ref ?? '' });
      new CfnOutput(scope, 'Queue', { value: new Queue(scope, 'Events').queueUrl });
    },
    (json) => json.replaceAll(URL_IN_SETTINGS, url),
  );
  endpoint = startEndpoint(port, stack.outputs.Queue ?? '');
  await waitFor('the endpoint listens', () => statusOf({}));
});
afterAll(async () => {
  if (endpoint?.exitCode === null) {
    const closed = new Promise((resolve) => endpoint.once('close', resolve));
    endpoint.kill('SIGKILL');
    await closed;
  }
  client?.close();
  await stack?.[Symbol.asyncDispose]();
  await cloud?.close();
});

it('queues an event that EventBridge posts with the key that the stack generated', async () => {
  const id = await client.userWrites('+5491155590001', { text: 'Hi' });
  const [message] = await waitFor('the event is queued', async () => {
    const messages = await client.takeMessages(stack.outputs.Queue ?? '');
    return messages.length > 0 ? messages : undefined;
  });
  expect(parseParleyEvent(message?.body ?? '')).toMatchObject({
    'detail-type': 'MessageReceived',
    detail: { messageId: id },
  });
});

it('answers 401 to a request without the key, or with another one, and queues nothing', async () => {
  expect([await statusOf({}), await statusOf({ 'x-api-key': 'another' })]).toEqual([401, 401]);
  expect(await client.queueDepth(stack.outputs.Queue ?? '')).toBe(0);
});
