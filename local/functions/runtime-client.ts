/**
 * Runs in a function's process. Requests events from the Runtime API, one at a time, and reports the handler's results.
 * Replaces Lambda's own `aws-lambda-ric`, whose native module would have to be compiled. `npm run fidelity`
 * compares the two. In both, an error outside the handler ends the process, which fails the invocation.
 */
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CLOCK_OFFSET_HEADER, installShiftedClock } from '../base/clock.ts';

/** A handler that returns its result. Handlers with a callback are not supported. */
type Handler = (event: unknown, context: object) => unknown;

/** Thrown if the handler or its result cannot be used. `name` is Lambda's error type. */
class RuntimeError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/**
 * Loads the export that a handler string such as `index.handler` or `folder/index.handler` names.
 *
 * Tries file extensions in the same order as Lambda's own runtime, but does not look for a package.json.
 *
 * @throws RuntimeError with Lambda's error type, or whatever the module throws.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html
 */
const loadHandler = async (taskRoot: string, handler: string): Promise<Handler> => {
  const [, moduleName, exportPath] = /^([^.]*)\.(.*)$/.exec(basename(handler)) ?? [];
  if (moduleName === undefined || exportPath === undefined || handler.includes('..')) {
    throw new RuntimeError('Runtime.MalformedHandlerName', 'Bad handler');
  }
  const stem = resolve(taskRoot, dirname(handler), moduleName);
  const file = ['.js', '.mjs', '.cjs'].map((extension) => stem + extension).find((candidate) => existsSync(candidate));
  if (file === undefined) {
    throw new RuntimeError('Runtime.ImportModuleError', `Error: Cannot find module '${moduleName}'`);
  }
  const loaded = await loadModule(file);
  const exported = exportPath.split('.').reduce((value: unknown, key) => property(value, key), loaded);
  if (isHandler(exported)) return exported;
  const problem = exported ? 'is not a function' : 'is undefined or not exported';
  throw new RuntimeError('Runtime.HandlerNotFound', `${handler} ${problem}`);
};

/** Requires a file unless its extension says that it is an ES module. */
const loadModule = async (file: string): Promise<unknown> => {
  try {
    return file.endsWith('.mjs') ? await import(pathToFileURL(file).href) : createRequire(file)(file);
  } catch (error) {
    throw error instanceof SyntaxError ? new RuntimeError('Runtime.UserCodeSyntaxError', String(error)) : error;
  }
};

const isHandler = (value: unknown): value is Handler => typeof value === 'function';

const property = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

const setClock = installShiftedClock();
// Set before the first event, so that the run's time also applies while the module is initialized.
setClock(Number(process.argv[2] ?? 0));
const { AWS_LAMBDA_RUNTIME_API = '', LAMBDA_TASK_ROOT = '', _HANDLER = '' } = process.env;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let requestId: string | undefined;

// The run that started this process holds the other end of standard input. Exit when the run has ended.
process.stdin.on('end', () => process.exit()).on('error', () => process.exit());
process.stdin.resume();

interface ApiResponse {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

const call = (method: string, path: string, body?: string): Promise<ApiResponse> =>
  new Promise((resolve, reject) => {
    const url = `http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/${path}`;
    const outgoing = request(url, { method, agent, headers: { 'Content-Type': 'application/json' } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    });
    outgoing.on('error', reject).end(body);
  });

const describeError = (thrown: unknown) =>
  thrown instanceof Error
    ? { errorType: thrown.name, errorMessage: thrown.message, trace: thrown.stack?.split('\n') ?? [] }
    : { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };

const reportError = (thrown: unknown): Promise<ApiResponse> => {
  const path = requestId === undefined ? 'init/error' : `invocation/${requestId}/error`;
  return call('POST', path, JSON.stringify(describeError(thrown)));
};

/** @throws RuntimeError if the result cannot be serialized as JSON. */
const serializeResult = (result: unknown): string => {
  try {
    return JSON.stringify(result ?? null);
  } catch {
    throw new RuntimeError('Runtime.JSONStringifyError', 'Unable to stringify response body');
  }
};

const first = (value: string | string[] | undefined): string => (Array.isArray(value) ? value[0] : value) ?? '';

const handleNext = async (handler: Handler): Promise<void> => {
  const { headers, body } = await call('GET', 'invocation/next');
  const awsRequestId = first(headers['lambda-runtime-aws-request-id']);
  requestId = awsRequestId;
  setClock(Number(first(headers[CLOCK_OFFSET_HEADER.toLowerCase()])));
  process.env._X_AMZN_TRACE_ID = first(headers['lambda-runtime-trace-id']);
  const deadline = Number(first(headers['lambda-runtime-deadline-ms']));
  const context = {
    awsRequestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    getRemainingTimeInMillis: () => deadline - Date.now(),
    invokedFunctionArn: first(headers['lambda-runtime-invoked-function-arn']),
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  };
  let result: string;
  try {
    result = serializeResult(await handler(JSON.parse(body), context));
  } catch (thrown) {
    await reportError(thrown);
    return;
  }
  await call('POST', `invocation/${awsRequestId}/response`, result);
};

try {
  const handler = await loadHandler(LAMBDA_TASK_ROOT, _HANDLER);
  for (;;) await handleNext(handler);
} catch (thrown) {
  // Either the handler could not be loaded, or the Runtime API has stopped, in which case the report fails too.
  await reportError(thrown).catch(() => undefined);
  process.exit(1);
}
