import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMovableClock } from '../../../local/base/clock.ts';
import { createRunFolder } from '../../../local/base/run-folder.ts';
import { logFileOf, startFunctions } from '../../../local/functions/functions.ts';
import type { FunctionDeclaration } from '../../../local/functions/invocation.ts';

/** A behavior of the runtime that does not depend on the function. */
export interface RuntimeCase {
  readonly name: string;
  readonly source: string;
  /** The name of the module's file. @default index.mjs */
  readonly file?: string;
  /** @default index.handler */
  readonly handler?: string;
  /** The events of successive invocations. @default one empty event */
  readonly events?: readonly unknown[];
  readonly timeoutMs?: number;
}

const HANDLER = 'export const handler = async (event, context)';

export const RUNTIME_CASES: readonly RuntimeCase[] = [
  {
    name: 'the event and the result are passed as JSON',
    source: `${HANDLER} => ({ event, letters: 'Ñandú 日本語 🎉', absent: undefined, number: 1.5 });`,
    events: [{ text: 'Ñandú 日本語 🎉', list: [1, null] }],
  },
  {
    name: 'a module is CommonJS if its extension is .js',
    file: 'index.js',
    source: 'exports.handler = async () => [typeof require, module.exports === exports, __filename.split("/").at(-1)];',
  },
  { name: 'a handler without a result returns null', source: `${HANDLER} => {};` },
  { name: 'a string is a result', source: `${HANDLER} => 'text';` },
  {
    name: 'a handler may return its result synchronously',
    source: `export const handler = (event) => ({ event });`,
  },
  {
    name: 'a process handles one event after another',
    source: `let calls = 0; ${HANDLER} => ++calls;`,
    events: [{}, {}, {}],
  },
  {
    name: 'an error of the handler is reported, and the process handles the next event',
    source: `let calls = 0; ${HANDLER} => { if (++calls === 1) throw new RangeError('too far'); return calls; };`,
    events: [{}, {}],
  },
  {
    name: 'a custom error is reported by its name',
    source: `class Own extends Error { name = 'OwnError'; } ${HANDLER} => { throw new Own('mine'); };`,
  },
  { name: 'a value that is not an error can be thrown', source: `${HANDLER} => { throw 'text'; };` },
  { name: 'undefined can be thrown', source: `${HANDLER} => { throw undefined; };` },
  { name: 'a result that JSON cannot represent is an error', source: `${HANDLER} => ({ big: 1n });` },
  {
    name: 'a circular result is an error, and the process handles the next event',
    source: `let calls = 0; ${HANDLER} => { const own = {}; own.own = own; return ++calls === 1 ? own : calls; };`,
    events: [{}, {}],
  },
  {
    name: 'the exit of the process fails the invocation, and the next event gets a new process',
    source: `let calls = 0; ${HANDLER} => { calls += 1; if (event.exit) process.exit(7); return calls; };`,
    events: [{}, { exit: true }, {}],
  },
  {
    name: 'an error outside the handler ends the process',
    source: `${HANDLER} => { setTimeout(() => { throw new Error('later'); }, 1); return new Promise(() => setInterval(() => 0, 1000)); };`,
  },
  {
    name: 'a rejection that nothing handles ends the process',
    source: `${HANDLER} => { Promise.reject(new Error('unhandled')); return new Promise(() => setInterval(() => 0, 1000)); };`,
  },
  {
    name: 'an invocation that takes too long ends the process',
    source: `${HANDLER} => (event.hang ? new Promise(() => setInterval(() => 0, 1000)) : 'done');`,
    events: [{ hang: true }, {}],
    timeoutMs: 1_500,
  },
  { name: 'a module that throws fails the invocation', source: `throw new TypeError('at the start');` },
  {
    name: 'a module may wait before it exports the handler',
    source: `await Promise.resolve(); ${HANDLER} => 'ready';`,
  },
  {
    name: 'a module that cannot be parsed fails the invocation',
    source: 'export const handler = async () => {',
  },
  { name: 'a missing dependency fails the invocation', source: `import 'no-such-package'; ${HANDLER} => 1;` },
  { name: 'a missing export fails the invocation', source: 'export const other = 1;' },
  { name: 'an export that is not a function fails the invocation', source: 'export const handler = 1;' },
  { name: 'a missing module fails the invocation', source: `${HANDLER} => 1;`, handler: 'other.handler' },
  { name: 'a handler without a module fails the invocation', source: `${HANDLER} => 1;`, handler: 'handler' },
  {
    name: 'a handler can be a member of an export',
    source: `export const api = { handler: async () => 'member' };`,
    handler: 'index.api.handler',
  },
  {
    name: 'the context has the function, the request, and the deadline',
    source: `${HANDLER} => ({
      keys: ['awsRequestId', 'functionName', 'functionVersion', 'getRemainingTimeInMillis', 'invokedFunctionArn',
        'logGroupName', 'logStreamName', 'memoryLimitInMB'].filter((key) => context[key] === undefined),
      isId: /^[0-9a-f-]{36}$/.test(context.awsRequestId),
      name: context.functionName, version: context.functionVersion, arn: context.invokedFunctionArn,
      memory: context.memoryLimitInMB, group: context.logGroupName, stream: context.logStreamName,
      hasTime: context.getRemainingTimeInMillis() > 0 && context.getRemainingTimeInMillis() <= 10000,
    });`,
  },
  {
    name: 'the environment has the variables of the template and those of Lambda, with the trace of the invocation',
    source: `${HANDLER} => ({
      greeting: process.env.GREETING,
      names: Object.keys(process.env).filter((name) => name !== 'AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1').sort(),
      trace: /^Root=1-[0-9a-f]{8}-[0-9a-f]{24};/.test(process.env._X_AMZN_TRACE_ID),
      folder: process.cwd() === process.env.LAMBDA_TASK_ROOT,
      zone: new Date(0).getTimezoneOffset(),
    });`,
  },
  {
    name: 'the log contains what the function writes to standard output unchanged',
    source: `${HANDLER} => { process.stdout.write('{"level":"INFO","message":"written"}\\n'); return 'done'; };`,
  },
];

/** The result of a case under a runtime client. */
export interface RuntimeOutcome {
  /** The result of each invocation, without values that differ between processes. */
  readonly results: readonly unknown[];
  /** The log lines that the function wrote. */
  readonly log: readonly string[];
}

/** Runs the case in its own processes. */
export const observeRuntime = async (one: RuntimeCase, runtimeClient?: string): Promise<RuntimeOutcome> => {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await createRunFolder());
  const codeFolder = join(folder, 'code');
  await mkdir(codeFolder);
  await writeFile(join(codeFolder, one.file ?? 'index.mjs'), one.source);
  const declaration: FunctionDeclaration = {
    name: 'fake',
    arn: 'arn:aws:lambda:us-east-1:000000000000:function:fake',
    logicalId: 'Fake',
    codeFolder,
    handler: one.handler ?? 'index.handler',
    variables: { GREETING: 'hello' },
    memoryMb: 256,
    timeoutMs: one.timeoutMs ?? 10_000,
    logLevel: 'INFO',
  };
  const settings = { folder, awsEnvironment: {}, clock: createMovableClock(), logs: { folder }, runtimeClient };
  const functions = await startFunctions([declaration], settings);
  const pool = functions.find(declaration.arn);
  const results: unknown[] = [];
  for (const event of one.events ?? [{}]) {
    const result = await pool?.invoke(JSON.stringify(event));
    results.push(result?.ok ? { result: JSON.parse(result.payload) } : withoutIds(result?.error));
  }
  await functions[Symbol.asyncDispose]();
  const log = await readFile(logFileOf('fake', { folder }), 'utf8');
  return { results, log: log.split('\n').filter((line) => line.includes('"written"')) };
};

/** Removes the stack trace, request ids, and the folders of the run. */
const withoutIds = ({ errorType = '', errorMessage = '' } = {}) => ({
  errorType,
  // Other lines describe how Node.js looked for a module.
  errorMessage: errorMessage
    .split('\n', 1)
    .join()
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replaceAll(/(file:\/\/)?\/[^\s']*\//g, '<folder>/'),
});
