import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { App } from 'aws-cdk-lib';
import { z } from 'zod';
import { createMovableClock, type MovableClock } from '../../../local/base/clock.ts';
import { createRunFolder } from '../../../local/base/run-folder.ts';
import { type Emulators, startEmulators } from '../../../local/emulators/emulators.ts';
import type { FunctionPool } from '../../../local/functions/function-pool.ts';
import { readCdkApp } from '../../../local/stack/cdk-app.ts';
import type { Interposed } from '../../../local/stack/interposed.ts';
import { startStack } from '../../../local/stack/stack.ts';
import { readTemplate } from '../../../local/template/template.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.ts';
import { TutorialStack } from './tutorial-stack.ts';

export interface TutorialOptions {
  /** Creates intermediaries between the parts of the run, such as proxies. @default none */
  readonly interpose?: ((emulators: Emulators, chatServiceUrl: string) => Interposed | Promise<Interposed>) | undefined;
  /** The path of the runtime client that each function's process runs. @default the local run's own */
  readonly runtimeClient?: string | undefined;
  /** The folder for the functions' logs. @default a temporary folder */
  readonly logFolder?: string | undefined;
  /** Also receives the functions' output. @default none */
  readonly echo?: Writable | undefined;
  /** Receives a message about each problem that does not stop the run. @default prints it to standard error */
  readonly warn?: ((message: string) => void) | undefined;
}

const addresses = z.object({
  WebhookUrl: z.string(),
  ManagementUrl: z.string(),
  SendQueueUrl: z.string(),
  SendDeadLetterQueueUrl: z.string(),
  TableName: z.string(),
  IdempotencyTableName: z.string(),
  EventBusName: z.string(),
  AccessTokenSecretId: z.string(),
});

/** The running stack of the tutorial, connected to a sandbox of the chat service. */
export interface Tutorial extends AsyncDisposable {
  readonly webhookUrl: string;
  readonly managementUrl: string;
  readonly sendQueueUrl: string;
  readonly sendDeadLetterQueueUrl: string;
  readonly tableName: string;
  readonly idempotencyTableName: string;
  readonly eventBusName: string;
  readonly accessTokenSecretId: string;
  readonly chatServiceUrl: string;
  /** The environment variables that point any AWS SDK or the AWS CLI at the run. */
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  readonly clock: MovableClock;
  readonly emulators: Emulators;
  /** The functions, by logical id. */
  readonly functions: ReadonlyMap<string, FunctionPool>;
  /** The path of the synthesized template, until the run is closed. */
  readonly templateFile: string;
  readonly close: () => Promise<void>;
}

const ROOT = join(import.meta.dirname, '../../..');
const STACK_NAME = 'Tutorial';
const CHAT = { chatPlatform: 'chat', chatChannelNumber: '+5491100000000' };
export const TUTORIAL_RETENTION_DAYS = 365;
const ISSUER = 'https://accounts.google.com';

/** What the sandbox's tokens contain, and the tutorial verifies. */
export const TUTORIAL_TOKEN = {
  audience: 'tutorial',
  email: 'chat-events@example-project.iam.gserviceaccount.com',
} as const;

/** Runs the stack of the tutorial on this machine, in the same local cloud as Parley's. */
export const startTutorial = async (options: TutorialOptions = {}): Promise<Tutorial> => {
  const { interpose, runtimeClient, echo, warn = console.error } = options;
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await createRunFolder());
  const clock = createMovableClock();
  const accessToken = randomBytes(24).toString('base64url');
  const sandbox = await startSandbox({
    accessTokens: [accessToken],
    chatPlatform: CHAT.chatPlatform,
    chatChannelNumbers: [CHAT.chatChannelNumber],
    clock,
  });
  stack.defer(sandbox.close);
  const emulators = stack.use(await startEmulators({ folder, clock, warn }));
  const assetFolder = join(folder, 'cdk.out');
  await synthesize(assetFolder, sandbox);

  const templateFile = join(assetFolder, `${STACK_NAME}.template.json`);
  const interposed = await interpose?.(emulators, sandbox.url);
  const { outputs, functions } = stack.use(
    await startStack({
      stackName: STACK_NAME,
      template: await readTemplate(templateFile),
      assetFolder,
      folder,
      emulators,
      clock,
      logs: { folder: options.logFolder ?? join(folder, 'logs'), echo },
      runtimeClient,
      interposed,
      warn,
    }),
  );
  const found = addresses.parse(outputs);
  const secret = emulators.secrets.find(found.AccessTokenSecretId);
  if (secret) emulators.secrets.put(secret, accessToken);
  const webhookUrl = interposed?.webhookUrl(found.WebhookUrl) ?? found.WebhookUrl;
  const { audience, email: serviceAccountEmail } = TUTORIAL_TOKEN;
  sandbox.setWebhook({ url: webhookUrl, auth: { kind: 'pubsub-jwt', audience, serviceAccountEmail, issuer: ISSUER } });

  const resources = stack.move();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= resources.disposeAsync();
    return closing;
  };
  return {
    webhookUrl,
    managementUrl: found.ManagementUrl,
    sendQueueUrl: found.SendQueueUrl,
    sendDeadLetterQueueUrl: found.SendDeadLetterQueueUrl,
    tableName: found.TableName,
    idempotencyTableName: found.IdempotencyTableName,
    eventBusName: found.EventBusName,
    accessTokenSecretId: found.AccessTokenSecretId,
    chatServiceUrl: sandbox.url,
    env: emulators.env,
    sandbox,
    clock,
    emulators,
    functions,
    templateFile,
    close,
    [Symbol.asyncDispose]: close,
  };
};

const synthesize = async (outdir: string, { url, jwksUrl }: Sandbox): Promise<void> => {
  // The metadata names the folder of a function's code.
  const context = { ...(await readCdkApp(ROOT)).context, 'aws:cdk:enable-asset-metadata': true };
  const app = new App({ outdir, context });
  new TutorialStack(app, STACK_NAME, {
    ...CHAT,
    chatServiceUrl: url,
    pushToken: { jwksUrl, issuer: ISSUER, ...TUTORIAL_TOKEN },
    retentionDays: TUTORIAL_RETENTION_DAYS,
  });
  app.synth();
};
