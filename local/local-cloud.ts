import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { z } from 'zod';
import { readStageSettings } from '../lib/settings/read-stage-settings.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { createMovableClock, type MovableClock } from './clock/movable-clock.ts';
import { createClosers } from './closers.ts';
import { type Emulators, startEmulators } from './emulators/emulators.ts';
import { createRunFolder } from './emulators/memory-folder.ts';
import type { FunctionPool } from './lambda/function-pool.ts';
import { LocalError } from './local-error.ts';
import { createMachineRoom } from './machine-room/create-machine-room.ts';
import { runSettings } from './run-settings.ts';
import { sandboxWebhook } from './sandbox-webhook.ts';
import { startStack } from './stack.ts';
import { ROOT, readCdkContext, synthesize } from './synthesis.ts';
import { readTemplate } from './template/template.ts';

/** How a local run is started. */
export interface LocalOptions {
  /** @default 'dev' */
  readonly stage?: string | undefined;
  /** The sandbox's port. @default 0, a free one */
  readonly port?: number | undefined;
  /** Send to this service instead of the sandbox; then there is no sandbox. */
  readonly chatServiceUrl?: string | undefined;
  /** Settings that go over the stage's own, under the run's addresses. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Where the functions' logs go. @default `.parley/logs` */
  readonly logFolder?: string | undefined;
  /** Where the functions' output is shown as well. */
  readonly echo?: Writable | undefined;
  /** Told of what goes on although something does not work. @default standard error */
  readonly warn?: ((message: string) => void) | undefined;
  /**
   * A folder for the synthesized app. When it holds one already, as a run before left it, nothing is synthesized anew
   * and the other settings must be the same; the folder is the caller's to remove.
   *
   * @default a folder of the run
   */
  readonly outdir?: string | undefined;
}

const stackOutputs = z.object({
  WebhookUrl: z.string(),
  ManagementUrl: z.string(),
  SendQueueUrl: z.string(),
  SendDeadLetterQueueUrl: z.string(),
  InboundQueueUrl: z.string(),
  InboundDeadLetterQueueUrl: z.string(),
  TableName: z.string(),
  EventBusName: z.string(),
  AccessTokenSecretId: z.string(),
  WebhookSecretId: z.string().optional(),
});

/** A running local cloud. */
export interface LocalCloud {
  readonly webhookUrl: string;
  readonly managementUrl: string;
  readonly chatServiceUrl: string;
  /** The sandbox's console; none when the run sends to another service. */
  readonly consoleUrl: string | undefined;
  readonly sendQueueUrl: string;
  readonly sendDeadLetterQueueUrl: string;
  readonly inboundQueueUrl: string;
  readonly inboundDeadLetterQueueUrl: string;
  readonly tableName: string;
  readonly eventBusName: string;
  readonly accessTokenSecretId: string;
  /** Only for the kinds of `webhook.auth` that have a secret. */
  readonly webhookSecretId: string | undefined;
  /** The variables with which any AWS SDK or the AWS CLI talks to the run. */
  readonly env: Readonly<Record<string, string>>;
  /** The chat service's sandbox, unless the run sends to another service. */
  readonly sandbox: Sandbox | undefined;
  readonly clock: MovableClock;
  readonly emulators: Emulators;
  /** The functions by their logical ids. */
  readonly functions: ReadonlyMap<string, FunctionPool>;
  readonly logFolder: string;
  /** Ends everything that the run started. */
  readonly close: () => Promise<void>;
}

/**
 * Runs a stage's stack on this machine: synthesizes it, starts the emulators, makes what the template declares, runs the
 * bundled functions, and points sandbox and webhook at each other.
 *
 * @throws LocalError or SettingsError with a sentence that says what to do; nothing is left running then.
 */
export const startLocal = async (options: LocalOptions = {}): Promise<LocalCloud> => {
  const closers = createClosers();
  try {
    return await start(options, closers);
  } catch (error) {
    await closers.close();
    throw error;
  }
};

const start = async (options: LocalOptions, closers: ReturnType<typeof createClosers>): Promise<LocalCloud> => {
  const { stage = 'dev', warn = (message) => console.error(message) } = options;
  const folder = await createRunFolder();
  closers.add(folder.remove);
  const clock = createMovableClock();
  const outdir = options.outdir ?? join(folder.path, 'cdk.out');
  const before = await readSynthesized(outdir);

  const context: Record<string, unknown> = { ...(await readCdkContext()), stage };
  const { settings } = readStageSettings({ stages: context.stages, stage, settings: options.settings });
  const accessToken = randomBytes(24).toString('base64url');
  const sandbox =
    options.chatServiceUrl === undefined
      ? await startSandbox({
          port: options.port ?? before?.sandboxPort ?? 0,
          accessTokens: [accessToken],
          chatPlatform: settings.chatPlatform,
          chatChannelNumbers: [settings.chatChannelNumber],
          clock,
        })
      : undefined;
  if (sandbox) closers.add(sandbox.close);
  const chatServiceUrl = sandbox?.url ?? options.chatServiceUrl ?? '';

  const stackName = `Parley-${stage}`;
  const { auth } = settings.webhook;
  const jwksUrl = auth.kind === 'pubsub-jwt' ? sandbox?.jwksUrl : undefined;
  const overrides = runSettings(options.settings ?? {}, { chatServiceUrl, jwksUrl });
  const synthesizing = before
    ? Promise.resolve(join(outdir, `${stackName}.template.json`))
    : synthesize(stackName, outdir, { ...context, settings: overrides });
  const [templateFile, emulators] = await bothOrNeither(
    synthesizing,
    startEmulators(folder.path, clock, closers, warn),
  );
  if (options.outdir && sandbox) await writeSynthesized(outdir, { sandboxPort: Number(new URL(sandbox.url).port) });

  const logFolder = options.logFolder ?? join(ROOT, '.parley', 'logs');
  const { outputs, functions } = await startStack({
    stackName,
    template: await readTemplate(templateFile),
    assetFolder: outdir,
    folder: folder.path,
    emulators,
    clock,
    logs: { folder: logFolder, echo: options.echo },
    warn,
    closers,
  });
  const addresses = stackOutputs.safeParse(outputs);
  if (!addresses.success) {
    const missing = addresses.error.issues.map(({ path }) => path.join('.')).join(', ');
    throw new LocalError(
      `The stack ${stackName} does not tell these outputs: ${missing}; add them to lib/parley-stack.ts.`,
    );
  }
  const told = addresses.data;
  if (sandbox) {
    const secret = emulators.secrets.find(told.AccessTokenSecretId);
    if (secret) emulators.secrets.put(secret, accessToken);
    const signing = sandboxWebhook(auth);
    const webhookSecret = told.WebhookSecretId && emulators.secrets.find(told.WebhookSecretId);
    if (webhookSecret && signing?.secret) emulators.secrets.put(webhookSecret, signing.secret);
    if (signing) sandbox.setWebhook({ url: told.WebhookUrl, auth: signing.auth });
    else warn(`The sandbox cannot sign its posts as ${auth.kind} asks, so it delivers none; sign and post your own.`);
    const machineRoom = createMachineRoom(
      emulators,
      {
        tableName: told.TableName,
        sendQueueUrl: told.SendQueueUrl,
        sendDeadLetterQueueUrl: told.SendDeadLetterQueueUrl,
        inboundQueueUrl: told.InboundQueueUrl,
        inboundDeadLetterQueueUrl: told.InboundDeadLetterQueueUrl,
        managementUrl: told.ManagementUrl,
      },
      () =>
        emulators.buses
          .events(told.EventBusName)
          .map(({ time, 'detail-type': type, detail }) => ({ at: time, type, detail })),
    );
    closers.add(machineRoom.close);
    sandbox.setMachineRoom(machineRoom);
  }
  return {
    webhookUrl: told.WebhookUrl,
    managementUrl: told.ManagementUrl,
    chatServiceUrl,
    consoleUrl: sandbox && `${sandbox.url}/`,
    sendQueueUrl: told.SendQueueUrl,
    sendDeadLetterQueueUrl: told.SendDeadLetterQueueUrl,
    inboundQueueUrl: told.InboundQueueUrl,
    inboundDeadLetterQueueUrl: told.InboundDeadLetterQueueUrl,
    tableName: told.TableName,
    eventBusName: told.EventBusName,
    accessTokenSecretId: told.AccessTokenSecretId,
    webhookSecretId: told.WebhookSecretId,
    env: emulators.env,
    sandbox,
    clock,
    emulators,
    functions,
    logFolder,
    close: closers.close,
  };
};

/** Waits for both also when one fails, so that what the other opened is known to the closers by then. */
const bothOrNeither = async <First, Second>(
  first: Promise<First>,
  second: Promise<Second>,
): Promise<[First, Second]> => {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
};

/** The sandbox's port is part of the synthesized settings, so a run that reuses them needs the same one. */
const synthesized = z.object({ sandboxPort: z.int() });
const SYNTHESIZED_FILE = 'local-run.json';

const readSynthesized = async (outdir: string) => {
  const text = await readFile(join(outdir, SYNTHESIZED_FILE), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : synthesized.parse(JSON.parse(text));
};

const writeSynthesized = (outdir: string, told: z.output<typeof synthesized>) =>
  writeFile(join(outdir, SYNTHESIZED_FILE), JSON.stringify(told));
