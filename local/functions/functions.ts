import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Transform, type Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { runtimeClientFile } from '#runtime-client';
import { printableLines } from '../../sandbox/base/terminal-text.ts';
import type { MovableClock } from '../base/clock.ts';
import { createPrivateFolder, openPrivateFile } from '../base/private-files.ts';
import { functionMetrics } from '../emulators/cloudwatch/aws-metrics.ts';
import { createMetricsReader } from '../emulators/cloudwatch/embedded-metrics.ts';
import type { MetricStore } from '../emulators/cloudwatch/metric-store.ts';
import { createAlias, type FunctionAlias } from './alias.ts';
import { counted } from './counted-invocations.ts';
import { createFunctionPool, type FunctionPool } from './function-pool.ts';
import type { InterposedFunctions } from './interposed-functions.ts';
import type { AliasDeclaration, FunctionDeclaration, InvokeFunction } from './invocation.ts';

/** The destinations of the functions' output. */
export interface LogSettings {
  /** The folder with one file per function. Each run overwrites the files of the previous run. */
  readonly folder: string;
  /** Also receives the output of all functions. @default none */
  readonly echo?: Writable | undefined;
}

export interface FunctionSettings {
  /** The run's folder, for copies of the functions' code. */
  readonly folder: string;
  /** The credentials and emulator URLs, as environment variables. */
  readonly awsEnvironment: Readonly<Record<string, string>>;
  readonly clock: MovableClock;
  readonly logs: LogSettings;
  /** The path of the runtime client that each function's process runs. @default the local run's own */
  readonly runtimeClient?: string | undefined;
  /** Where the functions' metrics are recorded. @default nowhere */
  readonly metrics?: MetricStore | undefined;
  /** The aliases of the functions. @default none */
  readonly aliases?: readonly AliasDeclaration[] | undefined;
  /** @default nothing */
  readonly interposed?: InterposedFunctions | undefined;
}

/** The functions of a run, by logical id. Disposing of them stops their processes. */
export interface Functions extends AsyncDisposable {
  readonly byLogicalId: ReadonlyMap<string, FunctionPool>;
  readonly aliases: readonly FunctionAlias[];
  /** Finds a function by its name or ARN, or by the ARN or qualified name of an alias. */
  readonly find: (nameOrArn: string) => FunctionPool | undefined;
}

/** Prepares functions for invocation. A function's process starts with its first invocation. */
export const startFunctions = async (
  declarations: readonly FunctionDeclaration[],
  { folder, awsEnvironment, clock, logs, metrics, aliases = [], interposed, ...settings }: FunctionSettings,
): Promise<Functions> => {
  await using stack = new AsyncDisposableStack();
  const runtimeClient = settings.runtimeClient ?? (await runtimeClientFile(folder));
  const byLogicalId = new Map<string, FunctionPool>();
  const created: FunctionAlias[] = [];
  for (const declaration of declarations) {
    const log = stack.use(await openFunctionLog(declaration.name, logs));
    if (metrics) log.stream.pipe(createMetricsReader(metrics));
    // Runs a copy outside the repository, so that, like on Lambda, a module missing from the bundle cannot be resolved.
    const taskRoot = join(folder, 'functions', declaration.name);
    await cp(declaration.codeFolder, taskRoot, { recursive: true });
    const execution = { runtimeClient, awsEnvironment, clock, interposedEnvironment: interposed?.environment };
    const pool = stack.use(createFunctionPool(declaration, taskRoot, execution, log.stream));
    const recorded = metrics && functionMetrics(metrics, declaration.name, clock.now);
    const withMetrics = (invoke: InvokeFunction) => (recorded ? counted(invoke, recorded) : invoke);
    const current = withMetrics(interposed ? interposed.invocations(pool) : pool.invoke);
    byLogicalId.set(declaration.logicalId, { ...pool, invoke: current });
    for (const alias of aliases.filter(({ functionArn }) => functionArn === declaration.arn)) {
      // Faults are injected into the current version only.
      const versions = { name: declaration.name, current, previous: withMetrics(pool.invoke) };
      created.push(createAlias(alias, versions, metrics && { store: metrics, now: clock.now }));
    }
  }
  const pools = new Map<string, FunctionPool>();
  for (const pool of byLogicalId.values()) {
    const { arn, name } = pool.declaration;
    pools.set(arn, pool).set(name, pool);
    for (const { declaration, invoke } of created.filter((alias) => alias.declaration.functionArn === arn)) {
      const aliased = { ...pool, invoke };
      pools.set(declaration.arn, aliased).set(`${name}:${declaration.name}`, aliased);
    }
  }
  const resources = stack.move();
  return {
    byLogicalId,
    aliases: created,
    find: (nameOrArn) => pools.get(nameOrArn),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

/** Returns the path of a function's log. */
export const logFileOf = (functionName: string, { folder }: LogSettings): string => join(folder, `${functionName}.log`);

const openFunctionLog = async (functionName: string, logs: LogSettings) => {
  await createPrivateFolder(logs.folder);
  const output = (await openPrivateFile(logFileOf(functionName, logs))).createWriteStream();
  const stream = new PassThrough();
  // Every process of the function pipes both its standard output and its standard error into it.
  stream.setMaxListeners(0);
  stream.pipe(output);
  if (logs.echo) stream.pipe(createEscaper()).pipe(logs.echo, { end: false });
  return {
    stream,
    [Symbol.asyncDispose]: (): Promise<void> =>
      new Promise((resolve) => {
        output.once('close', () => resolve());
        stream.end();
      }),
  };
};

/** Escapes control characters for the terminal. The log files contain the output unchanged. */
const createEscaper = (): Transform => {
  const decoder = new StringDecoder();
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, printableLines(decoder.write(chunk))),
    flush: (done) => done(null, printableLines(decoder.end())),
  });
};
