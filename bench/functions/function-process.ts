import { randomBytes, randomUUID } from 'node:crypto';

/*
 * Runs in a process of its own, so that its processor time is the function's alone: calls a bundled handler with one batch
 * of events after another.
 */

export interface BatchResult {
  /** The processor time of the whole batch. */
  readonly cpuMs: number;
  readonly latenciesMs: readonly number[];
  /** How many events the function did not handle: another status than 200, or a queue message that is to be retried. */
  readonly errors: number;
}

/** The answer to a webhook request, or to a batch of queue messages. */
interface Answer {
  readonly statusCode?: number;
  readonly batchItemFailures?: readonly unknown[];
}

type Handler = (event: unknown, context: object) => Promise<Answer>;

const [bundle = '', timeoutMs] = process.argv.slice(2);
const { handler }: { readonly handler: Handler } = await import(bundle);

const isHandled = ({ statusCode, batchItemFailures }: Answer): boolean =>
  statusCode === 200 || batchItemFailures?.length === 0;

process.on('message', async (events: readonly unknown[]) => {
  const latenciesMs: number[] = [];
  let errors = 0;
  const before = process.cpuUsage();
  for (const event of events) {
    const startMs = performance.now();
    if (!isHandled(await handler(event, createContext(Date.now() + Number(timeoutMs))))) errors += 1;
    latenciesMs.push(performance.now() - startMs);
  }
  const { user, system } = process.cpuUsage(before);
  process.send?.({ cpuMs: (user + system) / 1000, latenciesMs, errors } satisfies BatchResult);
});
process.on('disconnect', () => process.exit());

/** Does what the runtime client does before each event, apart from its calls to the Runtime API. */
const createContext = (deadlineMs: number): object => {
  const root = `1-${Math.floor(deadlineMs / 1000).toString(16)}-${randomBytes(12).toString('hex')}`;
  process.env._X_AMZN_TRACE_ID = `Root=${root};Parent=${randomBytes(8).toString('hex')};Sampled=0`;
  return {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME ?? 'function',
    functionVersion: '$LATEST',
    getRemainingTimeInMillis: () => deadlineMs - Date.now(),
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:function',
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? '1024',
  };
};
