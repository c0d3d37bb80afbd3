import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMovableClock, type MovableClock } from '../../../local/clock/movable-clock.ts';
import { createClosers } from '../../../local/closers.ts';
import { createRunFolder } from '../../../local/emulators/memory-folder.ts';
import { openFunctionLog } from '../../../local/function-log.ts';
import { buildRuntimeClient } from '../../../local/lambda/build-runtime-client.ts';
import type { FunctionDeclaration, InvocationResult } from '../../../local/lambda/function-declaration.ts';
import { createFunctionPool } from '../../../local/lambda/function-pool.ts';

/** Writes a bundle of one module, and returns its folder. */
export const writeBundle = async (folder: string, source: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'index.mjs'), source);
  return folder;
};

/** A function of one module in processes of its own. */
export interface FakeFunction {
  readonly clock: MovableClock;
  readonly logFile: string;
  readonly invoke: (event: unknown) => Promise<InvocationResult>;
  /** Invokes and reads the answer. @throws Error when the function failed. */
  readonly call: (event: unknown) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export const startFakeFunction = async (
  source: string,
  changes: Partial<FunctionDeclaration> = {},
): Promise<FakeFunction> => {
  const closers = createClosers();
  const folder = await createRunFolder();
  closers.add(folder.remove);
  const codeFolder = await writeBundle(join(folder.path, 'code'), source);
  const clock = createMovableClock();
  const log = await openFunctionLog('fake', { folder: folder.path });
  closers.add(log.close);
  const declaration: FunctionDeclaration = {
    name: 'fake',
    arn: 'arn:aws:lambda:us-east-1:000000000000:function:fake',
    logicalId: 'Fake',
    codeFolder,
    handler: 'index.handler',
    variables: { GREETING: 'hello' },
    memoryMb: 256,
    timeoutMs: 10_000,
    ...changes,
  };
  const settings = {
    region: 'us-east-1',
    runtimeClient: await buildRuntimeClient(folder.path),
    awsVariables: { AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1' },
    clock,
  };
  const pool = createFunctionPool(declaration, codeFolder, settings, log.stream);
  closers.add(pool.close);
  const invoke = (event: unknown) => pool.invoke(JSON.stringify(event));
  return {
    clock,
    logFile: log.file,
    invoke,
    async call(event) {
      const result = await invoke(event);
      if (!result.ok) throw new Error(JSON.stringify(result.error));
      return JSON.parse(result.payload);
    },
    close: closers.close,
  };
};
