import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { LOCAL_CONCURRENCY } from '../../../../local/functions/function-pool.ts';
import { eventually } from '../../../support/eventually.ts';
import { startFakeFunction } from './fake-function.ts';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("a function's process", () => {
  it('has the variables of the template and those that Lambda sets, and no others', async () => {
    process.env.SECRET_OF_THE_DEVELOPER = 'must not be seen';
    await using fake = await startFakeFunction('export const handler = async () => process.env;');

    const environment = await fake.call({});

    delete process.env.SECRET_OF_THE_DEVELOPER;
    expect(environment).toEqual({
      GREETING: 'hello',
      _HANDLER: 'index.handler',
      _X_AMZN_TRACE_ID: expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=0$/),
      AWS_DEFAULT_REGION: 'local',
      AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256',
      AWS_LAMBDA_FUNCTION_NAME: 'fake',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/fake',
      AWS_LAMBDA_LOG_STREAM_NAME: 'local',
      AWS_LAMBDA_RUNTIME_API: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      AWS_REGION: 'local',
      LAMBDA_TASK_ROOT: expect.any(String),
      LANG: 'en_US.UTF-8',
      PATH: expect.any(String),
      TZ: ':UTC',
    });
  });

  it('has other variables, and is invoked through something else, if a test puts it between the parts', async () => {
    const source = 'export const handler = async (event) => [event, process.env.AWS_ENDPOINT_URL_SQS];';
    await using fake = await startFakeFunction(
      source,
      {},
      {
        environment: (variables) => ({ ...variables, AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:2' }),
        invocations: (pool) => (event) => pool.invoke(JSON.stringify([event])),
      },
    );

    expect(await fake.call('hello')).toEqual([['"hello"'], 'http://127.0.0.1:2']);
  });

  it('has not loaded `fetch` before the function, which would hide what the function itself takes', async () => {
    const source =
      'export const handler = async () => process.moduleLoadList.filter((name) => /undici/.test(name)).length;';
    await using fake = await startFakeFunction(source);

    expect(await fake.call({})).toBe(0);
  });

  it("receives the event and Lambda's context, and is reused", async () => {
    await using fake = await startFakeFunction(`
      let calls = 0;
      export const handler = async (event, context) => ({ event, context, calls: ++calls,
        remains: context.getRemainingTimeInMillis() });
    `);

    await fake.call({});
    const second = await fake.call({ a: 1 });

    expect(second).toMatchObject({
      event: { a: 1 },
      calls: 2,
      context: {
        awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        functionName: 'fake',
        functionVersion: '$LATEST',
        memoryLimitInMB: '256',
        invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:fake',
      },
    });
    expect(second).toHaveProperty(
      'remains',
      expect.toSatisfy((ms: number) => ms > 0 && ms <= 10_000),
    );
  });

  it('cannot import a module that its bundle lacks, even one of the repository', async () => {
    await using fake = await startFakeFunction("import 'zod'; export const handler = async () => 1;");

    const result = await fake.invoke({});

    expect(result).toMatchObject({ ok: false, error: { errorMessage: expect.stringContaining("'zod'") } });
  });

  it('reports what the handler throws with type, message, and trace, and keeps running', async () => {
    await using fake = await startFakeFunction(`
      let calls = 0;
      export const handler = async () => { if (++calls === 1) throw new RangeError('too far'); return calls; };
    `);

    const first = await fake.invoke({});
    const second = await fake.call({});

    expect(first).toEqual({
      ok: false,
      error: {
        errorType: 'RangeError',
        errorMessage: 'too far',
        trace: expect.arrayContaining(['RangeError: too far']),
      },
    });
    expect(second).toBe(2);
  });

  it("fails with Lambda's error type when the handler is not exported", async () => {
    await using fake = await startFakeFunction('export const other = 1;');

    const result = await fake.invoke({});

    expect(result).toMatchObject({ ok: false, error: { errorType: 'Runtime.HandlerNotFound' } });
  });

  it.each([
    ['an error outside the handler', "setTimeout(() => { throw new Error('later'); }, 1);"],
    ['a rejection that nothing handles', "Promise.reject(new Error('unhandled'));"],
  ])("ends with %s, which Lambda's runtime client does not report", async (_case, code) => {
    await using fake = await startFakeFunction(
      `export const handler = async () => { ${code} return new Promise(() => setInterval(() => 0, 1000)); };`,
    );

    expect(await fake.invoke({})).toMatchObject({
      ok: false,
      error: { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('exit status 1') },
    });
  });

  it.each([
    ['a result that JSON does not have', 'export const handler = async () => 1n;', 'Runtime.JSONStringifyError'],
    ['a module that cannot be parsed', 'export const handler = async () => {', 'Runtime.UserCodeSyntaxError'],
    ['an export that is no function', 'export const handler = 1;', 'Runtime.HandlerNotFound'],
  ])("fails with Lambda's error type because of %s", async (_case, source, errorType) => {
    await using fake = await startFakeFunction(source);
    expect(await fake.invoke({})).toMatchObject({ ok: false, error: { errorType } });
  });

  it('knows the log level if its logs are in JSON', async () => {
    const source =
      'export const handler = async () => [process.env.AWS_LAMBDA_LOG_FORMAT, process.env.AWS_LAMBDA_LOG_LEVEL];';
    await using fake = await startFakeFunction(source, { logLevel: 'WARN' });
    expect(await fake.call({})).toEqual(['JSON', 'WARN']);
  });

  it('is killed at its timeout, and the next event gets a new one', async () => {
    await using fake = await startFakeFunction(
      'export const handler = async (event) => event.hang ? new Promise(() => setInterval(() => 0, 1000)) : process.pid;',
      { timeoutMs: 300 },
    );
    const before = Number(await fake.call({}));

    const hanging = await fake.invoke({ hang: true });
    const after = await fake.call({});

    expect(hanging).toMatchObject({
      ok: false,
      error: {
        errorType: 'Sandbox.Timedout',
        errorMessage: expect.stringContaining('Task timed out after 0.30 seconds'),
      },
    });
    expect(after).not.toBe(before);
    await eventually(() => (isAlive(before) ? undefined : true));
  });

  it('is replaced when it crashes', async () => {
    await using fake = await startFakeFunction(
      'export const handler = async (event) => { if (event.crash) process.exit(7); return 1; };',
    );

    const crashed = await fake.invoke({ crash: true });
    const next = await fake.call({});

    expect(crashed).toMatchObject({
      ok: false,
      error: { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('exit status 7') },
    });
    expect(next).toBe(1);
  });

  it('handles one event at a time; concurrent events get other processes, up to the limit', async () => {
    await using fake = await startFakeFunction(`
      let busy = 0;
      export const handler = async () => {
        busy += 1;
        const atOnce = busy;
        await new Promise((resolve) => setTimeout(resolve, 100));
        busy -= 1;
        return { atOnce, pid: process.pid };
      };
    `);

    const results = await Promise.all(Array.from({ length: 3 * LOCAL_CONCURRENCY }, () => fake.call({})));

    expect(results.every((result) => Object(result).atOnce === 1)).toBe(true);
    expect(new Set(results.map((result) => Object(result).pid)).size).toBe(LOCAL_CONCURRENCY);
  });

  it("has the run's time from the first event after a move of the clock", async () => {
    await using fake = await startFakeFunction(
      'export const handler = async () => [Date.now(), new Date().getTime(), new Date(0).toISOString(), new Date() instanceof Date];',
    );
    await fake.call({});

    await fake.clock.advance(25 * 3_600_000);
    const before = Date.now();
    const result = await fake.call({});

    const ahead = expect.toSatisfy((ms: number) => Math.abs(ms - before - 25 * 3_600_000) < 60_000);
    expect(result).toEqual([ahead, ahead, '1970-01-01T00:00:00.000Z', true]);
  });

  it('rejects events and results of more than 6 MB', async () => {
    await using fake = await startFakeFunction("export const handler = async (event) => 'x'.repeat(event.bytes);");

    const event = await fake.invoke({ bytes: 1, padding: 'x'.repeat(6 * 1024 * 1024) });
    const result = await fake.invoke({ bytes: 6 * 1024 * 1024 });

    expect(event).toMatchObject({ ok: false, error: { errorType: 'RequestEntityTooLarge' } });
    expect(result).toMatchObject({ ok: false, error: { errorType: 'Function.ResponseSizeTooLarge' } });
  });

  it('writes its standard output and standard error to the log', async () => {
    await using fake = await startFakeFunction(
      "export const handler = async () => { console.log('said'); console.error('warned'); throw new Error('failed'); };",
    );

    await fake.invoke({});

    const log = await eventually(async () => {
      const text = await readFile(fake.logFile, 'utf8');
      return text.includes('said') && text.includes('warned') && text.includes('Invoke Error') ? text : undefined;
    });
    expect(log).toContain('failed');
  });
});
