import { readdir, readFile } from 'node:fs/promises';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { createSignedFetch } from '../../../cli/operations/signed-fetch.ts';
import type { RouteName } from '../../../lambdas/manage/api/route-name.ts';
import { ROUTES } from '../../../lambdas/manage/api/routes.ts';
import { createRunFolder } from '../../../local/base/run-folder.ts';
import { createLocalClient, type LocalClient, type TableItem } from '../../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { writeLocalState } from '../../../local/cloud/local-state.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { CANARIES } from '../../support/canaries.ts';
import { plantItem } from '../../support/checked-cloud.ts';
import { runParley } from '../../support/run-parley.ts';
import { startTestCloud } from '../../support/test-cloud.ts';
import { type EchoingChatService, startEchoingChatService } from './echoing-chat-service.ts';

/** Text that came out of a stage, and where. */
export interface Output {
  readonly place: string;
  readonly text: string;
}

export interface ManagementCall {
  /** The variable in the path. */
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A stage whose chat service repeats what it receives, access token included, in its errors. */
export interface LeakingStage extends AsyncDisposable {
  readonly cloud: LocalCloud;
  readonly client: LocalClient;
  readonly service: EchoingChatService;
  /** Posts a webhook request. Returns the status; the answer is kept as an output. */
  post(body: string | Buffer, token?: string): Promise<number>;
  /**
   * Calls a route of the management API. The answer is kept as an output, unless the caller asked for the data of
   * this very contact, message, or send.
   */
  call(route: RouteName, status: number, call?: ManagementCall, about?: 'one' | 'none'): Promise<unknown>;
  /** Writes an item that Parley would not write. */
  putItem(item: TableItem): Promise<void>;
  sendIs(requestId: string, state: string): Promise<TableItem>;
  /** Runs `parley`. The output is kept. */
  parley(...args: readonly string[]): Promise<string>;
  /** Reads the attributes of all messages in a queue, which stay there. */
  readAttributes(queueUrl: string): Promise<void>;
  readonly called: ReadonlySet<RouteName>;
  readonly outputs: Output[];
  /** Every line that the functions have written. */
  logLines(): Promise<readonly string[]>;
}

export const startLeakingStage = async (): Promise<LeakingStage> => {
  await using stack = new AsyncDisposableStack();
  const folder = await createRunFolder();
  stack.defer(() => folder.remove());
  const service = stack.use(await startEchoingChatService());
  const cloud = stack.use(
    await startTestCloud({
      chatServiceUrl: service.url,
      logFolder: `${folder.path}/logs`,
      settings: {
        webhook: { auth: { kind: 'shared-token', header: 'x-token' }, watch: true },
        chatService: { clientPayload: 'all', answerTimeoutSeconds: 5 },
        contactCheck: 'beforeFirstTemplate',
        operators: { echoField: 'OPERATOR_ID' },
        turns: { silenceSeconds: 1 },
        events: { content: false },
      },
      warn: () => undefined,
    }),
  );
  const client = stack.use(createLocalClient(cloud));
  await writeLocalState(cloud, folder.path);
  putSecret(cloud, cloud.webhookSecretId, CANARIES.webhookSecret);
  putSecret(cloud, cloud.accessTokenSecretId, CANARIES.accessToken);

  const outputs: Output[] = [];
  const called = new Set<RouteName>();
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = cloud.env;
  const credentials = async () => ({ accessKeyId, secretAccessKey });
  const signedFetch = createSignedFetch({ region: cloud.env.AWS_REGION ?? '', credentials }, 60_000);

  const resources = stack.move();
  return {
    cloud,
    client,
    service,
    called,
    outputs,
    async post(body, token = CANARIES.webhookSecret) {
      const headers = { 'content-type': 'application/json', 'x-token': token };
      const response = await fetch(cloud.webhookUrl, {
        method: 'POST',
        headers,
        body: new Uint8Array(Buffer.from(body)),
      });
      outputs.push({ place: `answer of the webhook: ${response.status}`, text: await response.text() });
      return response.status;
    },
    async call(name, status, { id = '', query = {}, body } = {}, about = 'none') {
      const { route } = ROUTES[name];
      const [method = '', path = ''] = route.split(' ');
      const url = new URL(`${cloud.managementUrl}${path.replace(/\{.*\}/, encodeURIComponent(id))}`);
      for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
      const response = await signedFetch(method, url, body === undefined ? undefined : JSON.stringify(body));
      const text = await response.text();
      if (response.status !== status) throw new Error(`${route} answered with ${response.status}: ${text}`);
      called.add(name);
      if (about === 'none') outputs.push({ place: `answer of ${route}: ${status}`, text });
      return JSON.parse(text);
    },
    putItem: (item) => plantItem(cloud, item),
    async sendIs(requestId, state) {
      let found: TableItem | undefined;
      try {
        return await waitFor(`the send ${requestId} is ${state}`, async () => {
          found = (await client.table())[`SEND#${requestId} SEND`];
          return found?.state === state ? found : undefined;
        });
      } catch (error) {
        throw new Error(`${requestId}: ${JSON.stringify(found)}`, { cause: error });
      }
    },
    async parley(...args) {
      const { out, err } = await runParley(args, { stateFolder: folder.path });
      outputs.push({ place: `output of parley ${args[0]}`, text: `${out}\n${err}` });
      return out;
    },
    async readAttributes(QueueUrl) {
      const command = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 2, MessageAttributeNames: ['All'] };
      for (let isEmpty = false; !isEmpty; ) {
        const { Messages = [] } = await cloud.emulators.sqs.send(new ReceiveMessageCommand(command));
        isEmpty = Messages.length === 0;
        for (const { MessageAttributes } of Messages) {
          outputs.push({
            place: `attributes in ${QueueUrl.split('/').at(-1)}`,
            text: JSON.stringify(MessageAttributes),
          });
        }
      }
    },
    async logLines() {
      const files = await readdir(cloud.logFolder);
      const texts = await Promise.all(files.map((file) => readFile(`${cloud.logFolder}/${file}`, 'utf8')));
      return texts.flatMap((text) => text.split('\n')).filter((line) => line !== '');
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

const putSecret = ({ emulators }: LocalCloud, id: string | undefined, text: string): void => {
  const secret = emulators.secrets.find(id ?? '');
  if (secret === undefined) throw new Error('The stack has no such secret.');
  emulators.secrets.put(secret, text);
};
