import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMovableClock, type MovableClock } from '../../../../local/base/clock.ts';
import { createRunFolder } from '../../../../local/base/run-folder.ts';
import { logFileOf, startFunctions } from '../../../../local/functions/functions.ts';
import type { InterposedFunctions } from '../../../../local/functions/interposed-functions.ts';
import type { FunctionDeclaration, InvocationResult } from '../../../../local/functions/invocation.ts';

/** Writes a bundle with one module; returns its folder. */
export const writeBundle = async (folder: string, source: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'index.mjs'), source);
  return folder;
};

/** A function with one module, in its own processes. */
export interface FakeFunction extends AsyncDisposable {
  readonly clock: MovableClock;
  readonly logFile: string;
  readonly invoke: (event: unknown) => Promise<InvocationResult>;
  /** Invokes the function and parses the result. @throws Error if the function failed. */
  readonly call: (event: unknown) => Promise<unknown>;
}

export const startFakeFunction = async (
  source: string,
  changes: Partial<FunctionDeclaration> = {},
  interposed?: InterposedFunctions,
): Promise<FakeFunction> => {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await createRunFolder());
  const clock = createMovableClock();
  const declaration: FunctionDeclaration = {
    name: 'fake',
    arn: 'arn:aws:lambda:us-east-1:000000000000:function:fake',
    logicalId: 'Fake',
    codeFolder: await writeBundle(join(folder, 'code'), source),
    handler: 'index.handler',
    variables: { GREETING: 'hello' },
    memoryMb: 256,
    timeoutMs: 10_000,
    ...changes,
  };
  const awsEnvironment = { AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1' };
  const settings = { folder, awsEnvironment, clock, logs: { folder }, interposed };
  const functions = await startFunctions([declaration], settings);
  const pool = stack.use(functions).find(declaration.arn);
  if (pool === undefined) throw new Error('The function was not started.');
  const invoke = (event: unknown) => pool.invoke(JSON.stringify(event));
  const resources = stack.move();
  return {
    clock,
    logFile: logFileOf(declaration.name, { folder }),
    invoke,
    async call(event) {
      const result = await invoke(event);
      if (!result.ok) throw new Error(JSON.stringify(result.error));
      return JSON.parse(result.payload);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
