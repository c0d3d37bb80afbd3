import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMovableClock } from '../../../../local/base/clock.ts';
import { createRunFolder } from '../../../../local/base/run-folder.ts';
import { createMetricStore, MINUTE_MS } from '../../../../local/emulators/cloudwatch/metric-store.ts';
import { startFunctions } from '../../../../local/functions/functions.ts';
import { writeBundle } from './fake-function.ts';

const ARN = 'arn:aws:lambda:us-east-1:000000000000:function:fake';

/** Starts a function that fails, and its alias `live`, and returns how many of its errors are counted. */
const withAlias = async () => {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await createRunFolder());
  const metrics = createMetricStore();
  const clock = createMovableClock();
  const declaration = {
    name: 'fake',
    arn: ARN,
    logicalId: 'Fake',
    codeFolder: await writeBundle(join(folder, 'code'), 'export const handler = async () => { throw new Error(); };'),
    handler: 'index.handler',
    variables: {},
    memoryMb: 256,
    timeoutMs: 10_000,
  };
  const aliases = [{ arn: `${ARN}:live`, functionArn: ARN, name: 'live', version: '1' }];
  const settings = { folder, awsEnvironment: {}, clock, logs: { folder }, metrics, aliases };
  const functions = stack.use(await startFunctions([declaration], settings));
  const errorsBy = (dimensions: Readonly<Record<string, string>>) => {
    // The minute of the invocation has ended if this one has just started.
    const minute = Math.floor(clock.now().getTime() / MINUTE_MS) * MINUTE_MS;
    const minutes = [minute, minute - MINUTE_MS];
    const metric = { namespace: 'AWS/Lambda', name: 'Errors', dimensions: { FunctionName: 'fake', ...dimensions } };
    return minutes
      .map((start) => metrics.statistic(metric, 'Sum', start, start + MINUTE_MS))
      .find((sum) => sum !== undefined);
  };
  const resources = stack.move();
  return { functions, errorsBy, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

describe('an alias of a function', () => {
  it.each([`${ARN}:live`, 'fake:live'])(
    'is found by %s, and counts no errors by version while it names one',
    async (name) => {
      await using run = await withAlias();

      expect((await run.functions.find(name)?.invoke('{}'))?.ok).toBe(false);

      expect(run.errorsBy({})).toBe(1);
      expect(run.errorsBy({ Resource: 'fake:live', ExecutedVersion: '1' })).toBe(undefined);
    },
  );

  it('divides invocations between two versions, and counts the errors of each', async () => {
    await using run = await withAlias();
    run.functions.aliases[0]?.route(0.25);

    for (let call = 0; call < 4; call += 1) await run.functions.find('fake:live')?.invoke('{}');

    expect(run.errorsBy({})).toBe(4);
    expect(run.errorsBy({ Resource: 'fake:live', ExecutedVersion: '0' })).toBe(3);
    expect(run.errorsBy({ Resource: 'fake:live', ExecutedVersion: '1' })).toBe(1);
  });

  it('does not count what is invoked without it', async () => {
    await using run = await withAlias();
    run.functions.aliases[0]?.route(0.5);

    expect((await run.functions.find(ARN)?.invoke('{}'))?.ok).toBe(false);

    expect(run.errorsBy({})).toBe(1);
    expect(run.errorsBy({ Resource: 'fake:live', ExecutedVersion: '1' })).toBe(undefined);
  });

  it('is not found by another name', async () => {
    await using run = await withAlias();

    expect(run.functions.find(`${ARN}:other`)).toBe(undefined);
  });
});
