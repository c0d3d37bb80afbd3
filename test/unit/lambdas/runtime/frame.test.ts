import { setTimeout as pause } from 'node:timers/promises';
import type { MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTelemetry, frame, type Invocation } from '../../../../lambdas/runtime/frame.ts';

let output: string;

beforeEach(() => {
  vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'receive');
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Parley');
  output = '';
  const write = (chunk: unknown) => {
    output += String(chunk);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const context = (changes: Partial<Context> = {}): Context => ({
  awsRequestId: 'invocation-1',
  callbackWaitsForEmptyEventLoop: true,
  functionName: 'parley-receive',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:parley-receive',
  memoryLimitInMB: '256',
  logGroupName: 'group',
  logStreamName: 'stream',
  getRemainingTimeInMillis: () => 10_000,
  done: () => undefined,
  fail: () => undefined,
  succeed: () => undefined,
  ...changes,
});

/** Returns what the function wrote: one JSON object per line. */
const lines = (): Record<string, unknown>[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const metricLines = () => lines().filter((line) => '_aws' in line);
const logLines = () => lines().filter((line) => 'level' in line);

describe('a framed handler', () => {
  it('publishes its metrics and logs the request id', async () => {
    const { log, metrics, middlewares } = createTelemetry();
    const handler = frame(async (event: string) => {
      metrics.count('EventStored');
      metrics.count('EventStored');
      log.info('event stored', { event });
      return 'answer';
    }, middlewares);

    expect(await handler('event-1', context())).toBe('answer');

    expect(logLines()).toMatchObject([
      { message: 'event stored', event: 'event-1', function_request_id: 'invocation-1', service: 'receive' },
    ]);
    expect(metricLines()).toMatchObject([
      {
        service: 'receive',
        EventStored: [1, 1],
        _aws: {
          CloudWatchMetrics: [
            { Namespace: 'Parley', Dimensions: [['service']], Metrics: [{ Name: 'EventStored', Unit: 'Count' }] },
          ],
        },
      },
    ]);
  });

  it('publishes a recorded value at once, under the same namespace and dimensions as its counters', async () => {
    const { metrics, middlewares } = createTelemetry();
    const published: unknown[][] = [];
    const handler = frame(async () => {
      metrics.count('SendAccepted');
      metrics.record('AccountHeld', 1);
      published.push(metricLines());
      metrics.record('AccountHeld', 0);
    }, middlewares);

    await handler('event-1', context());

    expect(published).toMatchObject([[{ AccountHeld: 1 }]]);
    const [first, second, counters] = metricLines();
    const place = { Namespace: 'Parley', Dimensions: [['service']] };
    expect([first, second]).toMatchObject([
      { AccountHeld: 1, service: 'receive', _aws: { CloudWatchMetrics: [place] } },
      { AccountHeld: 0, service: 'receive', _aws: { CloudWatchMetrics: [place] } },
    ]);
    expect(counters).toMatchObject({ SendAccepted: 1 });
    expect(counters).not.toHaveProperty('AccountHeld');
  });

  it('publishes its metrics and logs the request id when it throws', async () => {
    const { log, metrics, middlewares } = createTelemetry();
    const handler = frame(async () => {
      metrics.count('EventStored');
      log.error('about to fail', {});
      throw new Error('broken by +5491155550000');
    }, middlewares);

    await expect(handler('event-1', context())).rejects.toThrow('The invocation failed: Error.');

    expect(logLines()).toMatchObject([
      { message: 'about to fail', function_request_id: 'invocation-1' },
      { message: 'invocation failed', function_request_id: 'invocation-1', error: { name: 'Error' } },
    ]);
    expect(output).not.toContain('broken');
    expect(metricLines()).toMatchObject([{ EventStored: 1 }]);
  });

  it('logs no phone number and no message of an error, but every id', async () => {
    const { log, middlewares } = createTelemetry();
    const number = '+5491155550042';
    const traceId = '4bf92f3577b34da6a3c1234567890123';
    const ids = { requestId: 'order-5491155550042', traceId, sequenceNumbers: ['100000000000000000001'] };
    const handler = frame(async () => {
      const error = Object.assign(new Error(`Invalid: ${number}`), { Item: { number }, cause: new Error(number) });
      log.warn('warned', {
        ...ids,
        error,
        reason: `for ${number}`,
        deep: { list: [number, { text: number }] },
        count: 7,
      });
    }, middlewares);

    await handler('event-1', context());

    expect(logLines()).toMatchObject([
      { ...ids, error: { name: 'Error' }, reason: 'for ***42', deep: { list: ['***42', { text: '***42' }] }, count: 7 },
    ]);
    expect(output.replace('order-5491155550042', '')).not.toContain('5491155550042');
  });

  it('does not log its event, even if the environment enables it', async () => {
    vi.stubEnv('POWERTOOLS_LOGGER_LOG_EVENT', 'true');
    const { middlewares } = createTelemetry();

    await frame(async () => 'answer', middlewares)('event-1', context());

    expect(output).toBe('');
  });

  it('carries neither metrics nor the request id into the next invocation', async () => {
    const { log, metrics, middlewares } = createTelemetry();
    const handler = frame(async (event: string) => {
      if (event === 'first') metrics.count('EventStored');
      log.info(event, {});
    }, middlewares);

    await handler('first', context({ awsRequestId: 'invocation-1' }));
    await handler('second', context({ awsRequestId: 'invocation-2' }));

    expect(logLines().map(({ message, function_request_id }) => [message, function_request_id])).toEqual([
      ['first', 'invocation-1'],
      ['second', 'invocation-2'],
    ]);
    expect(metricLines()).toHaveLength(1);
  });

  it('writes nothing about metrics when it counts nothing', async () => {
    const { middlewares } = createTelemetry();
    const warnings = vi.spyOn(console, 'warn');

    await frame(async () => 'answer', middlewares)('event-1', context());

    expect(output).toBe('');
    expect(warnings).not.toHaveBeenCalled();
  });

  it('publishes a metric with dimensions separately, so that they do not apply to the others', async () => {
    const { metrics, middlewares } = createTelemetry();
    const handler = frame(async () => {
      metrics.count('EventStored');
      metrics.count('WindowMisjudged', { direction: 'closed' });
    }, middlewares);

    await handler('event-1', context());

    const [misjudged, stored] = metricLines();
    expect(misjudged).toMatchObject({ WindowMisjudged: 1, direction: 'closed' });
    expect(misjudged).not.toHaveProperty('EventStored');
    expect(stored).toMatchObject({ EventStored: 1 });
    expect(stored).not.toHaveProperty('direction');
  });

  it('is not rejected early when it takes longer than the remaining time', async () => {
    const { middlewares } = createTelemetry();
    let isFinished = false;
    const handler = frame(async (_event: string, { getRemainingTimeInMillis }: Invocation) => {
      await pause(60);
      isFinished = true;
      return getRemainingTimeInMillis();
    }, middlewares);

    expect(await handler('event-1', context({ getRemainingTimeInMillis: () => 20 }))).toBe(20);
    expect(isFinished).toBe(true);
  });

  it('runs its first middleware outermost, even when an inner one answers an error', async () => {
    const calls: string[] = [];
    const outer: MiddlewareObj<string, string> = {
      before: () => void calls.push('outer before'),
      onError: () => void calls.push('outer onError'),
    };
    const inner: MiddlewareObj<string, string> = {
      before: () => void calls.push('inner before'),
      onError(request) {
        calls.push('inner onError');
        request.response = 'answered';
      },
    };
    const handler = frame<string, string>(() => Promise.reject(new Error('broken')), [outer, inner]);

    expect(await handler('event-1', context())).toBe('answered');

    expect(calls).toEqual(['outer before', 'inner before', 'inner onError', 'outer onError']);
  });
});
