import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { z } from 'zod';
import { LOCAL_RUN_CONTEXT } from '../lib/settings/check-production.ts';
import { readStageSettings } from '../lib/settings/read-stage-settings.ts';
import type { StageSettings } from '../lib/settings/stage-settings.ts';
import { type EventFormatName, type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { printableLines } from '../sandbox/terminal-text.ts';
import { readCdkApp } from './cdk-app.ts';
import { createMovableClock, type MovableClock } from './clock.ts';
import { type Emulators, startEmulators } from './emulators/emulators.ts';
import type { FunctionAlias } from './functions/alias.ts';
import type { FunctionPool } from './functions/function-pool.ts';
import type { Interpose } from './interposed.ts';
import { LocalError } from './local-error.ts';
import { connectSandbox } from './local-sandbox.ts';
import { createRunFolder } from './run-folder.ts';
import { startStack } from './stack.ts';
import {
  checkChatService,
  settingsForSandbox,
  settingsForService,
  synthesizeOnce,
  withSandboxOrigin,
} from './synthesis.ts';
import { findStack } from './synthesized-stack.ts';
import { readTemplate } from './template/template.ts';

export interface LocalOptions {
  /** The folder of the CDK app to run. @default the current folder */
  readonly appFolder?: string | undefined;
  /** The stage in cdk.json whose settings to use. @default 'dev' */
  readonly stage?: string | undefined;
  /** The app's stack to run. @default `Parley-STAGE` */
  readonly stackName?: string | undefined;
  /** The sandbox's port, or 0 for any free port. @default 0 */
  readonly port?: number | undefined;
  /** The URL of a chat service to use instead of the sandbox. @default none; starts the sandbox */
  readonly chatServiceUrl?: string | undefined;
  /** How the sandbox writes events. @default 'uppercase', the contract's format */
  readonly eventFormat?: EventFormatName | undefined;
  /** Host names that requests to the webhook may be addressed to besides the loopback names. @default none */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Settings that override those of the stage. The URLs of the run override both. @default none */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** The folder for the functions' logs. @default `.parley/logs` in the app's folder */
  readonly logFolder?: string | undefined;
  /** Also receives the functions' output. @default none */
  readonly echo?: Writable | undefined;
  /** Receives a message about each problem that does not stop the run. @default prints it to standard error */
  readonly warn?: ((message: string) => void) | undefined;
  /** Receives each step as it starts, such as `Starting the emulators`. @default none */
  readonly onStep?: ((step: string) => void) | undefined;
  /** Creates intermediaries between the parts of the run, such as proxies. @default none */
  readonly interpose?: Interpose | undefined;
  /**
   * A folder for the synthesized app. The caller must remove it. A run with the same stage and settings reuses the app
   * of a previous run.
   *
   * @default a temporary folder
   */
  readonly outdir?: string | undefined;
  /**
   * The path of a runtime client, such as AWS's own, that each function's process runs. Only the local run's own moves
   * with the clock. @default the local run's own
   */
  readonly runtimeClient?: string | undefined;
}

const stackAddresses = z.object({
  webhookUrl: z.string(),
  managementUrl: z.string(),
  sendQueueUrl: z.string(),
  sendDeadLetterQueueUrl: z.string(),
  /** Undefined without turns. */
  turnQueueUrl: z.string().optional(),
  /** Undefined without a bulk queue. */
  bulkSendQueueUrl: z.string().optional(),
  bulkSendDeadLetterQueueUrl: z.string().optional(),
  scheduleDeadLetterQueueUrl: z.string(),
  inboundQueueUrl: z.string(),
  inboundDeadLetterQueueUrl: z.string(),
  erasureQueueUrl: z.string(),
  erasureDeadLetterQueueUrl: z.string(),
  publishFailuresQueueUrl: z.string(),
  /** Undefined if events have no targets. */
  undeliveredEventsQueueUrl: z.string().optional(),
  tableName: z.string(),
  eventBusName: z.string(),
  accessTokenSecretId: z.string(),
  /** Undefined if the webhook's authentication uses no secret. */
  webhookSecretId: z.string().optional(),
  webhookSecretKind: z.string().optional(),
  webhookAuthHeader: z.string().optional(),
  /** Undefined with direct ingress. */
  webhookIngress: z.string().optional(),
});

/** The URLs and names of the stack's parts. */
export type StackAddresses = Readonly<z.output<typeof stackAddresses>>;

/** A running local cloud. */
export interface LocalCloud extends StackAddresses, AsyncDisposable {
  readonly chatServiceUrl: string;
  /** The URL of the sandbox's console. Undefined without a sandbox. */
  readonly consoleUrl: string | undefined;
  /** The environment variables that point any AWS SDK or the AWS CLI at the run. */
  readonly env: Readonly<Record<string, string>>;
  /** Undefined if the run sends to another chat service. */
  readonly sandbox: Sandbox | undefined;
  readonly clock: MovableClock;
  readonly emulators: Emulators;
  /** The functions, by logical id. */
  readonly functions: ReadonlyMap<string, FunctionPool>;
  /** The functions' aliases, which a stage with gradual rollouts has. */
  readonly aliases: readonly FunctionAlias[];
  readonly logFolder: string;
  /** Stops everything that the run started. A second call waits for the first. */
  readonly close: () => Promise<void>;
}

/**
 * Runs a stage's stack on this machine: synthesizes it, starts the emulators, creates the template's resources, runs
 * the bundled functions, and connects the sandbox and the webhook.
 *
 * @throws LocalError or SettingsError that says what to do. In this case, nothing is left running.
 */
export const startLocal = async (options: LocalOptions = {}): Promise<LocalCloud> => {
  const { appFolder = process.cwd(), stage = 'dev', stackName = `Parley-${stage}` } = options;
  const { warn = (message: string) => console.error(printableLines(message)) } = options;
  const { onStep = () => {} } = options;
  const app = await readCdkApp(appFolder);
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await createRunFolder());
  const clock = createMovableClock();
  const outdir = options.outdir ?? join(folder, 'cdk.out');

  const context: Record<string, unknown> = { ...app.context, stage, [LOCAL_RUN_CONTEXT]: true };
  const { settings } = readStageSettings({ stages: context.stages, stage, settings: options.settings, localRun: true });
  for (const difference of differencesOf(settings)) warn(difference);
  const { auth } = settings.webhook;
  const accessToken = randomBytes(24).toString('base64url');
  const startOwnSandbox = () =>
    startSandbox({
      port: options.port ?? 0,
      accessTokens: [accessToken],
      chatPlatform: settings.chatPlatform,
      chatChannelNumbers: [settings.chatChannelNumber],
      contactCheckPath: settings.chatService.contactCheckPath,
      eventFormat: options.eventFormat,
      clock,
    });
  const sandbox = options.chatServiceUrl === undefined ? await startOwnSandbox() : undefined;
  if (sandbox) stack.defer(sandbox.close);
  const chatServiceUrl = sandbox?.url ?? options.chatServiceUrl ?? '';

  const jwksPath = sandbox && auth.kind === 'pubsub-jwt' ? new URL(sandbox.jwksUrl).pathname : undefined;
  const overrides = sandbox
    ? settingsForSandbox(options.settings ?? {}, { jwksPath })
    : settingsForService(options.settings ?? {}, chatServiceUrl);
  onStep(`Synthesizing the stack ${stackName} and starting the emulators`);
  const starting = [
    startEmulators({ folder, clock, warn }).then((started) => stack.use(started)),
    synthesizeOnce(app, outdir, { ...context, settings: overrides }),
  ] as const;
  // Wait for both. Otherwise, emulators that start after synthesis has failed would never be stopped.
  await Promise.allSettled(starting);
  const [emulators] = await Promise.all(starting);

  const interposed = options.interpose?.(emulators, chatServiceUrl);
  const { templateFile } = await findStack(outdir, stackName);
  const editTemplate = (text: string): string => {
    checkChatService(text, stackName, options.chatServiceUrl);
    return withSandboxOrigin(text, sandbox?.url);
  };
  const logFolder = options.logFolder ?? join(appFolder, '.parley', 'logs');
  onStep("Creating the stack's resources and starting its functions");
  const running = await startStack({
    stackName,
    template: await readTemplate(templateFile, editTemplate),
    assetFolder: outdir,
    folder,
    emulators,
    clock,
    logs: { folder: logFolder, echo: options.echo },
    allowedHosts: options.allowedHosts,
    runtimeClient: options.runtimeClient,
    interposed,
    warn,
  });
  const { outputs, functions, aliases } = stack.use(running);
  const addresses = readAddresses(stackName, outputs);
  const webhookUrl = interposed?.webhookUrl(addresses.webhookUrl) ?? addresses.webhookUrl;
  onStep(sandbox ? 'Connecting the sandbox of the chat service' : `Connecting ${chatServiceUrl}`);
  if (sandbox) {
    const connection = { settings, accessToken, emulators, clock, warn };
    stack.use(connectSandbox(sandbox, { ...addresses, webhookUrl }, connection));
  }

  const resources = stack.move();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= resources.disposeAsync();
    return closing;
  };
  return {
    ...addresses,
    chatServiceUrl,
    consoleUrl: sandbox && `${sandbox.url}/`,
    env: emulators.env,
    sandbox,
    clock,
    emulators,
    functions,
    aliases,
    logFolder,
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** Says which settings name what exists only on AWS, and what the local run does instead. */
const differencesOf = ({ existing, vpc, domainName }: StageSettings): readonly string[] => [
  ...(existing.tableArn ? ['existing.tableArn: the local run creates a table with the same keys and indexes.'] : []),
  ...(existing.eventBusArn ? ['existing.eventBusArn: the local run creates an event bus.'] : []),
  ...(existing.keyArn ? ['existing.keyArn: the local run encrypts nothing.'] : []),
  ...(vpc ? ["vpc: the local run's functions use this machine's network."] : []),
  ...(domainName ? ['domainName: the webhook of the local run has only its local URL.'] : []),
];

const readAddresses = (stackName: string, outputs: Readonly<Record<string, string>>): StackAddresses => {
  const byName = Object.entries(outputs).map(([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), value]);
  const { data, error } = stackAddresses.safeParse(Object.fromEntries(byName));
  if (data) return data;
  const missing = error.issues
    .map(({ path }) => path.join('.'))
    .map((name) => name.charAt(0).toUpperCase() + name.slice(1));
  throw new LocalError(
    `The stack ${stackName} is missing these outputs: ${missing.join(', ')}. Add them in lib/parley-stack.ts.`,
  );
};
