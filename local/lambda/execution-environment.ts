import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { MovableClock } from '../clock/movable-clock.ts';
import type { FunctionDeclaration, InvocationError, InvocationResult } from './function-declaration.ts';
import { functionEnvironment } from './function-environment.ts';
import { startRuntimeApi } from './runtime-api.ts';

/** One process of a function; it works on one event at a time, as on Lambda. */
export interface ExecutionEnvironment {
  readonly invoke: (event: string) => Promise<InvocationResult>;
  /** False once the process has ended or is about to; such an environment takes no further event. */
  readonly alive: () => boolean;
  readonly close: () => Promise<void>;
}

/** What every execution environment of a run shares. */
export interface ExecutionSettings {
  readonly region: string;
  /** The runtime client, one file of JavaScript. */
  readonly runtimeClient: string;
  readonly awsVariables: Readonly<Record<string, string>>;
  readonly clock: MovableClock;
}

/** Lambda's own limit for the initialisation of an environment, which comes on top of the function's time-out. */
const INIT_LIMIT_MS = 10_000;

/**
 * Starts a process with the function's code behind a Runtime API of its own.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
 */
export const startExecutionEnvironment = async (
  declaration: FunctionDeclaration,
  taskRoot: string,
  settings: ExecutionSettings,
  log: Writable,
): Promise<ExecutionEnvironment> => {
  let pending: { requestId: string; end: (result: InvocationResult) => void } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let doomed = false;

  const end = (result: InvocationResult): void => {
    clearTimeout(timer);
    const ended = pending;
    pending = undefined;
    ended?.end(result);
  };
  const fail = (error: InvocationError): void => end({ ok: false, error });
  const doom = (error: InvocationError): void => {
    doomed = true;
    child.kill('SIGKILL');
    fail(error);
  };
  const limit = (ms: number, error: () => InvocationError): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const reached = error();
      log.write(`${reached.errorMessage}\n`);
      doom(reached);
    }, ms);
  };

  const api = await startRuntimeApi({
    taken: (requestId) => limit(declaration.timeoutMs, () => timedOut(requestId, declaration.timeoutMs)),
    ended(requestId, result) {
      if (requestId === pending?.requestId) end(result);
    },
    initFailed: doom,
  });
  const child = startProcess(declaration, taskRoot, settings, `127.0.0.1:${api.port}`, log);
  const ended = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      doomed = true;
      if (pending) fail(exited(pending.requestId, code, signal));
      void api.close().then(resolve);
    });
  });

  return {
    invoke: (event) =>
      new Promise((resolve) => {
        const requestId = randomUUID();
        pending = { requestId, end: resolve };
        limit(INIT_LIMIT_MS + declaration.timeoutMs, () => timedOut(requestId, INIT_LIMIT_MS));
        const now = settings.clock.now().getTime();
        api.offer({
          requestId,
          event,
          functionArn: declaration.arn,
          deadline: new Date(now + declaration.timeoutMs),
          clockOffsetMs: settings.clock.offsetMs,
          traceId: `Root=1-${Math.floor(now / 1000).toString(16)}-${randomBytes(12).toString('hex')};Sampled=0`,
        });
        if (doomed) fail(exited(requestId, child.exitCode, child.signalCode));
      }),
    alive: () => !doomed,
    async close() {
      doomed = true;
      child.kill('SIGKILL');
      await ended;
    },
  };
};

const startProcess = (
  declaration: FunctionDeclaration,
  taskRoot: string,
  settings: ExecutionSettings,
  runtimeApi: string,
  log: Writable,
): ChildProcess => {
  const child = spawn(process.execPath, [settings.runtimeClient, String(settings.clock.offsetMs)], {
    cwd: taskRoot,
    env: functionEnvironment(declaration, { ...settings, taskRoot, runtimeApi }),
    // Nothing is ever written to standard input: it ends when this process does, however that comes, and the child with it.
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own, so that Ctrl-C reaches the run alone, which then ends what it started in order.
    detached: true,
  });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  // A process that cannot be started also closes, which is where its invocation fails.
  child.on('error', (error) => log.write(`The function's process could not be started: ${error.message}\n`));
  return child;
};

const timedOut = (requestId: string, limitMs: number): InvocationError => ({
  errorType: 'Sandbox.Timedout',
  errorMessage: `RequestId: ${requestId} Error: Task timed out after ${(limitMs / 1000).toFixed(2)} seconds`,
});

const exited = (requestId: string, code: number | null, signal: NodeJS.Signals | null): InvocationError => ({
  errorType: 'Runtime.ExitError',
  errorMessage: `RequestId: ${requestId} Error: Runtime exited with error: ${signal ? `signal: ${signal}` : `exit status ${code}`}`,
});
