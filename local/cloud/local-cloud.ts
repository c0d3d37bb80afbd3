import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { z } from 'zod';
import { IGNORED_METADATA, LOCAL_RUN_CONTEXT } from '../../lib/settings/check-production.ts';
import { LOCAL_CHAT_SERVICE_CONTEXT } from '../../lib/settings/local-chat-service.ts';
import { printableLines } from '../../sandbox/base/terminal-text.ts';
import { type EventFormatName, JWKS_PATH, type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { createMovableClock, type MovableClock } from '../base/clock.ts';
import { ANY_PORTS, type LocalPorts } from '../base/local-ports.ts';
import { createRunFolder } from '../base/run-folder.ts';
import { type Emulators, startEmulators } from '../emulators/emulators.ts';
import type { FunctionAlias } from '../functions/alias.ts';
import type { FunctionPool } from '../functions/function-pool.ts';
import { type CdkApp, readCdkApp } from '../stack/cdk-app.ts';
import type { Interpose } from '../stack/interposed.ts';
import { startStack } from '../stack/stack.ts';
import { readAddresses, type StackAddresses } from '../stack/stack-addresses.ts';
import { synthesizeIfChanged, synthesizeOnce } from '../stack/synthesis.ts';
import { readTemplate, type Template } from '../template/template.ts';
import { createEventsQueue } from './events-queue.ts';
import { connectSandbox } from './local-sandbox.ts';
import { type LocalSettings, readLocalSettings, sandboxPlaceholder, withSandboxOrigin } from './local-settings.ts';
import { findStack } from './synthesized-stack.ts';

export interface LocalOptions {
  /** The folder of the CDK app to run. @default the current folder */
  readonly appFolder?: string | undefined;
  /** The stage in cdk.json whose settings to use. @default 'dev' */
  readonly stage?: string | undefined;
  /** The app's stack to run. @default its only ParleyStack, or `Parley-STAGE` */
  readonly stackName?: string | undefined;
  /** @default any free ports */
  readonly ports?: LocalPorts | undefined;
  /** Interrupts the start. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Whether to create a queue that receives every event. @default false */
  readonly hasEventsQueue?: boolean | undefined;
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
  /** A folder for the synthesized app, which the next run uses if nothing has changed. @default none */
  readonly cacheFolder?: string | undefined;
  /**
   * The path of a runtime client, such as AWS's own, that each function's process runs. Only the local run's own moves
   * with the clock. @default the local run's own
   */
  readonly runtimeClient?: string | undefined;
}

const DEFAULT_STAGE = 'dev';

/** A running local cloud. */
export interface LocalCloud extends StackAddresses, AsyncDisposable {
  readonly chatServiceUrl: string;
  /** The URL of the sandbox's console. Undefined without a sandbox. */
  readonly consoleUrl: string | undefined;
  /** The queue that receives every event. Undefined if the run has none. */
  readonly eventsQueueUrl: string | undefined;
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
  const { appFolder = process.cwd(), stage = DEFAULT_STAGE } = options;
  const { warn = (message: string) => console.error(printableLines(message)) } = options;
  const { onStep = () => {}, signal } = options;
  const app = await readCdkApp(appFolder);
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await createRunFolder());
  const clock = createMovableClock();

  onStep('Starting the emulators');
  const starting = [
    startEmulators({ folder, clock, warn, ports: options.ports }).then((started) => stack.use(started)),
    synthesize(app, folder, options),
  ] as const;
  // Wait for both. Otherwise, emulators that start after synthesis has failed would never be stopped.
  await Promise.allSettled(starting);
  signal?.throwIfAborted();
  const [emulators, outdir] = await Promise.all(starting);

  const found = await findStack(outdir, options.stackName, `Parley-${stage}`);
  const { stackName, templateFile } = found;
  const settings = readLocalSettings(found);
  const accessToken = randomBytes(24).toString('base64url');
  const sandbox =
    options.chatServiceUrl === undefined ? await startOwnSandbox(options, settings, { accessToken, clock }) : undefined;
  if (sandbox) stack.defer(sandbox.close);
  const chatServiceUrl = sandbox?.url ?? options.chatServiceUrl ?? '';
  const interposed = options.interpose?.(emulators, chatServiceUrl);
  const logFolder = options.logFolder ?? join(appFolder, '.parley', 'logs');
  const template = await readTemplate(templateFile, (text) => withSandboxOrigin(text, sandbox?.url));
  for (const difference of differencesOf(template)) warn(difference);
  onStep(`Creating the resources of ${stackName} and starting its functions`);
  const running = await startStack({
    stackName,
    template,
    assetFolder: dirname(templateFile),
    folder,
    emulators,
    clock,
    logs: { folder: logFolder, echo: options.echo },
    allowedHosts: options.allowedHosts,
    runtimeClient: options.runtimeClient,
    interposed,
    warn,
    ports: options.ports,
  });
  const { outputs, functions, aliases } = stack.use(running);
  signal?.throwIfAborted();
  const addresses = readAddresses(stackName, outputs);
  const webhookUrl = interposed?.webhookUrl(addresses.webhookUrl) ?? addresses.webhookUrl;
  onStep(sandbox ? 'Connecting the sandbox of the chat service' : `Connecting ${chatServiceUrl}`);
  if (sandbox) {
    const connection = { settings, accessToken, emulators, clock, warn };
    stack.use(connectSandbox(sandbox, { ...addresses, webhookUrl }, connection));
  }

  const eventsQueueUrl = options.hasEventsQueue
    ? await createEventsQueue(emulators, addresses.eventBusName)
    : undefined;
  signal?.throwIfAborted();

  const resources = stack.move();
  const close = closeOnce(() => resources.disposeAsync());
  return {
    ...addresses,
    chatServiceUrl,
    consoleUrl: sandbox && `${sandbox.url}/`,
    eventsQueueUrl,
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

/** Returns the folder of the synthesized app. */
const synthesize = async (app: CdkApp, folder: string, options: LocalOptions): Promise<string> => {
  const { outdir = join(folder, 'cdk.out'), signal, cacheFolder, onStep = () => {} } = options;
  const context = contextFor(app, options);
  if (cacheFolder === undefined) {
    onStep('Synthesizing the app');
    await synthesizeOnce(app, outdir, context, signal);
  } else {
    await synthesizeIfChanged(app, { outdir, context, signal, cacheFolder, notes: join(folder, 'notes'), onStep });
  }
  return outdir;
};

/** Returns the context that an app is synthesized with. */
const contextFor = (
  { context }: CdkApp,
  { stage = DEFAULT_STAGE, settings, chatServiceUrl }: LocalOptions,
): Readonly<Record<string, unknown>> => ({
  ...context,
  stage,
  ...(settings !== undefined && { settings }),
  [LOCAL_RUN_CONTEXT]: true,
  [LOCAL_CHAT_SERVICE_CONTEXT]:
    chatServiceUrl === undefined ? sandboxPlaceholder(JWKS_PATH) : { baseUrl: chatServiceUrl },
});

/** Closes once: later calls wait for the first. */
const closeOnce = (dispose: () => Promise<void>): (() => Promise<void>) => {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= dispose();
    return closing;
  };
};

/** Starts a sandbox that has the stage's platform and number. */
const startOwnSandbox = (
  { ports = ANY_PORTS, eventFormat }: LocalOptions,
  { chatPlatform, chatChannelNumber, chatService }: LocalSettings,
  { accessToken, clock }: { readonly accessToken: string; readonly clock: MovableClock },
): Promise<Sandbox> =>
  startSandbox({
    port: ports.console,
    accessTokens: [accessToken],
    chatPlatform,
    chatChannelNumbers: [chatChannelNumber],
    contactCheckPath: chatService.contactCheckPath,
    eventFormat,
    clock,
  });

/** Says which properties of the stack name what exists only on AWS, and what the local run does instead. */
const differencesOf = ({ Metadata }: Template): readonly string[] => {
  const ignored = z.array(z.string()).catch([]).parse(Metadata[IGNORED_METADATA]);
  if (ignored.length === 0) return [];
  return [
    `The local run ignores these properties of the stack: ${ignored.join(', ')}. It creates a table and an event bus, ` +
      "encrypts nothing, uses this machine's network, and has a local webhook URL.",
  ];
};
