import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../../../lambdas/manage/api/answer.ts';
import type { ManagementCall } from '../../../../lambdas/manage/api/define-route.ts';
import { answerErrors, createManagementHandler } from '../../../../lambdas/manage/management-handler.ts';
import type { Log } from '../../../../lambdas/ports.ts';
import { createTelemetry, frame } from '../../../../lambdas/runtime/frame.ts';
import { TRACE_ID, TRACEPARENT, USER } from '../../../support/builders.ts';

const CALLER = 'arn:aws:iam::111122223333:user/support';
const DIGITS = USER.slice(1);

const eventOf = (changes: Record<string, unknown> = {}): APIGatewayProxyEventV2 => {
  const event = {
    routeKey: 'POST /v1/opt-ins',
    rawPath: `/v1/contacts/${USER}`,
    headers: {},
    body: JSON.stringify({ platformContactId: USER }),
    isBase64Encoded: false,
    pathParameters: { platformContactId: USER },
    queryStringParameters: { chatPlatform: 'chat' },
    requestContext: { requestId: 'api-request-1', authorizer: { iam: { userArn: CALLER, userId: 'AIDAEXAMPLEID' } } },
    ...changes,
  };
  // The handler reads nothing else of its event.
  return event as unknown as APIGatewayProxyEventV2;
};

/** Calls the handler in its middleware, with one route that responds as the test says. */
const call = async (respond: (call: ManagementCall) => Promise<Answer>, event = eventOf()) => {
  const logged: [keyof Log, string, Record<string, unknown>][] = [];
  const record = (level: keyof Log) => (message: string, fields: Record<string, unknown>) =>
    void logged.push([level, message, fields]);
  const log: Log = { info: record('info'), warn: record('warn'), error: record('error') };
  const responders = new Map([['POST /v1/opt-ins', respond]]);
  const handler = frame(createManagementHandler({ responders, log }), [answerErrors(log)]);
  return { response: await handler(event, {} as Context), logged };
};

describe('the management handler', () => {
  it('passes the trace of the call to the route and logs its ID, and ignores an invalid one', async () => {
    const traces: unknown[] = [];
    const respond = async ({ traceparent }: ManagementCall) => {
      traces.push(traceparent);
      return { status: 200, body: {} };
    };
    const traced = await call(respond, eventOf({ headers: { traceparent: TRACEPARENT } }));
    const invalid = await call(respond, eventOf({ headers: { traceparent: 'trace-1' } }));
    expect(traces).toEqual([TRACEPARENT, undefined]);
    expect(traced.logged).toMatchObject([['info', 'management call', { traceId: TRACE_ID }]]);
    expect(invalid.logged[0]?.[2]).not.toHaveProperty('traceId');
  });

  it('passes path variable, query, and body to the route and returns its answer as JSON', async () => {
    const calls: ManagementCall[] = [];
    const { response } = await call(async (given) => {
      calls.push(given);
      return { status: 202, body: { state: 'queued' } };
    });
    expect(calls).toEqual([
      {
        caller: { arn: CALLER, id: 'AIDAEXAMPLEID' },
        id: USER,
        query: { chatPlatform: 'chat' },
        bodyText: JSON.stringify({ platformContactId: USER }),
      },
    ]);
    expect(response).toEqual({
      statusCode: 202,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: '{"state":"queued"}',
    });
  });

  it('decodes a base64 body and treats missing parts as empty', async () => {
    const calls: ManagementCall[] = [];
    const record = async (given: ManagementCall) => {
      calls.push(given);
      return { status: 200, body: {} };
    };
    await call(record, eventOf({ body: Buffer.from('ñ').toString('base64'), isBase64Encoded: true }));
    await call(record, eventOf({ body: undefined, pathParameters: undefined, queryStringParameters: undefined }));
    expect(calls).toMatchObject([{ bodyText: 'ñ' }, { id: '', query: {}, bodyText: '' }]);
  });

  it('refuses a body that is not UTF-8, instead of passing on other characters', async () => {
    const body = Buffer.from('{"messageText":"Mañana"}', 'latin1').toString('base64');
    const { response } = await call(
      () => Promise.reject(new Error('The route must not be called.')),
      eventOf({ body, isBase64Encoded: true }),
    );
    expect(response.statusCode).toBe(400);
    expect(response.body).toContain('the body: is not UTF-8.');
  });

  it('logs the route, the caller, and the status, but no phone number', async () => {
    const { logged } = await call(async () => ({ status: 404, body: { message: `${USER} is not known` } }));
    expect(logged).toEqual([['info', 'management call', { route: 'POST /v1/opt-ins', caller: CALLER, status: 404 }]]);
    expect(JSON.stringify(logged)).not.toContain(DIGITS);
  });

  it('logs an unknown caller when API Gateway names none', async () => {
    const event = eventOf({ requestContext: { requestId: 'api-request-1' } });
    const { logged } = await call(async () => ({ status: 200, body: {} }), event);
    expect(logged).toMatchObject([['info', 'management call', { caller: 'unknown' }]]);
  });
});

describe('an unexpected error', () => {
  const failing = () => Promise.reject(new Error('throttled'));

  it('is answered with 500 and a body that names the request and reveals nothing internal', async () => {
    const { response } = await call(failing);
    expect(response).toMatchObject({ statusCode: 500, headers: { 'content-type': 'application/json' } });
    const { body } = Object(response);
    expect(JSON.parse(body)).toEqual({
      code: 'INTERNAL',
      message: expect.stringMatching(/Retry it\..*search the logs for the request ID api-request-1\.$/),
    });
    expect(body).not.toMatch(/throttled|Error/);
  });

  it('is logged with the error, the route, and the caller, but no phone number', async () => {
    const { logged } = await call(failing);
    expect(logged).toEqual([
      [
        'error',
        'management call failed',
        { route: 'POST /v1/opt-ins', caller: CALLER, apiRequestId: 'api-request-1', error: new Error('throttled') },
      ],
    ]);
    expect(JSON.stringify(logged)).not.toContain(DIGITS);
  });

  it('still publishes the metrics, and logs no phone number, with the real telemetry', async () => {
    vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Parley-test');
    vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'manage');
    const output: string[] = [];
    const spies = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, 'write').mockImplementation((chunk) => output.push(String(chunk)) > 0),
    );
    const { log, metrics, middlewares } = createTelemetry();
    const respond = () => {
      metrics.count('SendCancelled');
      return failing();
    };
    const responders = new Map([['POST /v1/opt-ins', respond]]);
    const handler = frame(createManagementHandler({ responders, log }), [...middlewares, answerErrors(log)]);
    const response = await handler(eventOf(), {} as Context);
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();

    expect(response).toMatchObject({ statusCode: 500 });
    expect(output.join('')).toContain('"SendCancelled":1');
    expect(output.join('')).toContain('management call failed');
    expect(output.join('')).not.toContain(DIGITS);
  });

  it('is also the result of a route that the function does not know', async () => {
    const { response, logged } = await call(failing, eventOf({ routeKey: 'GET /v1/unknown' }));
    expect(response).toMatchObject({ statusCode: 500 });
    expect(logged).toMatchObject([['error', 'management call failed', { route: 'GET /v1/unknown' }]]);
  });
});
