/**
 * What runs in a function's process: asks the Runtime API for events, one after another, and answers with what the
 * handler makes of them. Stands in for Lambda's own `aws-lambda-ric`, whose native part would have to be compiled.
 */
import { Agent, request } from 'node:http';
import { installShiftedClock } from '../clock/shifted-clock.ts';
import { CLOCK_OFFSET_HEADER } from './clock-offset-header.ts';
import { type Handler, loadHandler } from './handler-loader.ts';

/** The exit codes of Lambda's own runtime client. */
const EXIT_UNHANDLED_REJECTION = 128;
const EXIT_UNCAUGHT_EXCEPTION = 129;

const setClock = installShiftedClock();
// Known before the first event, so that the module's own initialisation already tells the run's time.
setClock(Number(process.argv[2] ?? 0));
const { AWS_LAMBDA_RUNTIME_API = '', LAMBDA_TASK_ROOT = '', _HANDLER = '' } = process.env;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let requestId: string | undefined;

// The run that started this process holds the other end: when that is gone, so is the reason for this process.
process.stdin.on('end', () => process.exit()).on('error', () => process.exit());
process.stdin.resume();

interface Answer {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

const call = (method: string, path: string, body?: string): Promise<Answer> =>
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

const reportError = (thrown: unknown, errorType?: string): Promise<Answer> => {
  const error = { ...describeError(thrown), ...(errorType && { errorType }) };
  const path = requestId === undefined ? 'init/error' : `invocation/${requestId}/error`;
  return call('POST', path, JSON.stringify(error));
};

const endWith = (code: number, errorType?: string) => (thrown: unknown) => {
  void reportError(thrown, errorType).finally(() => process.exit(code));
};
process.on('uncaughtException', endWith(EXIT_UNCAUGHT_EXCEPTION));
process.on('unhandledRejection', endWith(EXIT_UNHANDLED_REJECTION, 'Runtime.UnhandledPromiseRejection'));

const one = (value: string | string[] | undefined): string => (Array.isArray(value) ? value[0] : value) ?? '';

const handleNext = async (handler: Handler): Promise<void> => {
  const { headers, body } = await call('GET', 'invocation/next');
  const awsRequestId = one(headers['lambda-runtime-aws-request-id']);
  requestId = awsRequestId;
  setClock(Number(one(headers[CLOCK_OFFSET_HEADER.toLowerCase()])));
  process.env._X_AMZN_TRACE_ID = one(headers['lambda-runtime-trace-id']);
  const deadline = Number(one(headers['lambda-runtime-deadline-ms']));
  const context = {
    awsRequestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    getRemainingTimeInMillis: () => deadline - Date.now(),
    invokedFunctionArn: one(headers['lambda-runtime-invoked-function-arn']),
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  };
  let answer: string;
  try {
    // A handler that returns nothing answers null.
    answer = JSON.stringify((await handler(JSON.parse(body), context)) ?? null);
  } catch (thrown) {
    await reportError(thrown);
    return;
  }
  await call('POST', `invocation/${awsRequestId}/response`, answer);
};

try {
  const handler = await loadHandler(LAMBDA_TASK_ROOT, _HANDLER);
  for (;;) await handleNext(handler);
} catch (thrown) {
  // Either the handler could not be loaded or the Runtime API is gone; then there is nobody left to tell.
  await reportError(thrown).catch(() => undefined);
  process.exit(1);
}
