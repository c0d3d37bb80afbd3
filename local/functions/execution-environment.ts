import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import { REGION } from '../base/aws-environment.ts';
import type { MovableClock } from '../base/clock.ts';
import type { FunctionDeclaration, InvocationError, InvocationResult } from './invocation.ts';
import { startRuntimeApi } from './runtime-api.ts';

/** A process of a function. Like on Lambda, it handles one event at a time. */
export interface ExecutionEnvironment {
  /** The id of the process. Undefined if it could not start. */
  readonly processId: number | undefined;
  readonly invoke: (event: string) => Promise<InvocationResult>;
  /** Returns false if the process has ended or is about to end, and therefore accepts no more events. */
  readonly isAlive: () => boolean;
  readonly close: () => Promise<void>;
}

/** Settings that all execution environments of a run share. */
export interface ExecutionSettings {
  /** The path of the runtime client, a single JavaScript file. */
  readonly runtimeClient: string;
  /** The credentials and emulator URLs, as environment variables. */
  readonly awsEnvironment: Readonly<Record<string, string>>;
  readonly clock: MovableClock;
  /** Changes a function's environment variables. @default none */
  readonly interposedEnvironment?:
    | ((variables: Readonly<Record<string, string>>) => Record<string, string>)
    | undefined;
}

/** Lambda's time limit for initializing an environment, in addition to the function's timeout. */
const INIT_LIMIT_MS = 10_000;

/**
 * Starts a process with the function's code and its own Runtime API.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
 */
export const startExecutionEnvironment = async (
  declaration: FunctionDeclaration,
  taskRoot: string,
  settings: ExecutionSettings,
  log: Writable,
): Promise<ExecutionEnvironment> => {
  let pending: { requestId: string; resolve: (result: InvocationResult) => void } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isDoomed = false;

  const finish = (result: InvocationResult): void => {
    clearTimeout(timer);
    const finished = pending;
    pending = undefined;
    finished?.resolve(result);
  };
  const fail = (error: InvocationError): void => finish({ ok: false, error });
  const kill = (error: InvocationError): void => {
    isDoomed = true;
    child.kill('SIGKILL');
    fail(error);
  };
  const killAfter = (ms: number, error: InvocationError): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      log.write(`${error.errorMessage}\n`);
      kill(error);
    }, ms);
  };

  const api = await startRuntimeApi({
    started: (requestId) => killAfter(declaration.timeoutMs, timedOut(requestId, declaration.timeoutMs)),
    ended(requestId, result) {
      if (requestId === pending?.requestId) finish(result);
    },
    initFailed: kill,
  });
  const child = startProcess(declaration, taskRoot, settings, `127.0.0.1:${api.port}`, log);
  const ended = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      isDoomed = true;
      if (pending) fail(exited(pending.requestId, code, signal));
      void api.close().then(resolve);
    });
  });

  return {
    processId: child.pid,
    invoke: (event) =>
      new Promise((resolve) => {
        const requestId = randomUUID();
        pending = { requestId, resolve };
        killAfter(INIT_LIMIT_MS + declaration.timeoutMs, timedOut(requestId, INIT_LIMIT_MS));
        const now = settings.clock.now().getTime();
        api.offer({
          requestId,
          event,
          functionArn: declaration.arn,
          deadline: new Date(now + declaration.timeoutMs),
          clockOffsetMs: settings.clock.offsetMs,
          traceId: traceHeader(now),
        });
        if (isDoomed) fail(exited(requestId, child.exitCode, child.signalCode));
      }),
    isAlive: () => !isDoomed,
    async close() {
      isDoomed = true;
      child.kill('SIGKILL');
      await ended;
    },
  };
};

/** Source: https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html, "Tracing header" */
const traceHeader = (nowMs: number): string => {
  const root = `1-${Math.floor(nowMs / 1000).toString(16)}-${randomBytes(12).toString('hex')}`;
  return `Root=${root};Parent=${randomBytes(8).toString('hex')};Sampled=0`;
};

const startProcess = (
  declaration: FunctionDeclaration,
  taskRoot: string,
  settings: ExecutionSettings,
  runtimeApi: string,
  log: Writable,
): ChildProcess => {
  const { interposedEnvironment: interposed = (variables) => variables } = settings;
  const child = spawn(process.execPath, [settings.runtimeClient, String(settings.clock.offsetMs)], {
    cwd: taskRoot,
    env: interposed(functionEnvironment(declaration, taskRoot, runtimeApi, settings.awsEnvironment)),
    // Standard input is used only as a signal: it closes when this process ends for any reason, and the child exits.
    stdio: ['pipe', 'pipe', 'pipe'],
    // In its own process group, so that Ctrl-C reaches only the run, which then stops everything in order.
    detached: true,
  });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  // A process that cannot start also emits `close`, which fails its invocation.
  child.on('error', (error) => log.write(`The function's process could not start: ${error.message}\n`));
  return child;
};

/**
 * Returns the complete environment of a function's process: the template's variables and those that Lambda sets. It
 * inherits no variables from the process that started the run.
 *
 * @param runtimeApi `host:port` of the Runtime API.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html, "Defined runtime environment variables"
 */
export const functionEnvironment = (
  { name, handler, memoryMb, variables, logLevel }: FunctionDeclaration,
  taskRoot: string,
  runtimeApi: string,
  awsEnvironment: Readonly<Record<string, string>>,
): Record<string, string> => ({
  ...variables,
  _HANDLER: handler,
  AWS_DEFAULT_REGION: REGION,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  // Source: https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-advanced.html
  ...(logLevel !== undefined && { AWS_LAMBDA_LOG_FORMAT: 'JSON', AWS_LAMBDA_LOG_LEVEL: logLevel }),
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
  AWS_LAMBDA_LOG_STREAM_NAME: 'local',
  AWS_LAMBDA_RUNTIME_API: runtimeApi,
  AWS_REGION: REGION,
  LAMBDA_TASK_ROOT: taskRoot,
  LANG: 'en_US.UTF-8',
  PATH: '/usr/local/bin:/usr/bin:/bin',
  TZ: ':UTC',
  ...awsEnvironment,
});

const timedOut = (requestId: string, limitMs: number): InvocationError => ({
  errorType: 'Sandbox.Timedout',
  errorMessage: `RequestId: ${requestId} Error: Task timed out after ${(limitMs / 1000).toFixed(2)} seconds`,
});

const exited = (requestId: string, code: number | null, signal: NodeJS.Signals | null): InvocationError => ({
  errorType: 'Runtime.ExitError',
  errorMessage: `RequestId: ${requestId} Error: Runtime exited with error: ${signal ? `signal: ${signal}` : `exit status ${code}`}`,
});
