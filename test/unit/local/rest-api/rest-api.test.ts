import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createMovableClock } from '../../../../local/base/clock.ts';
import type { RestApiAnswer } from '../../../../local/emulators/cloudwatch/aws-metrics.ts';
import { compileMappingTemplate } from '../../../../local/rest-api/mapping-template.ts';
import { type RestApi, type RestMethod, startRestApi } from '../../../../local/rest-api/rest-api.ts';

let api: RestApi | undefined;
/** The statuses of all answers, and the resources that gave them. */
let answered: unknown[] = [];
afterEach(() => api?.close());

const template = (text: string) => compileMappingTemplate(text, 'the template');
const ECHO = "$input.body|$input.params().get('path').get('id')|$input.params().get('header').get('X-Name')";

/** Starts an API with one method, which keeps what it calls its service with. */
const startApi = async (changes: Partial<RestMethod> = {}, throttle?: { requestsPerSecond: number; burst: number }) => {
  const called: string[] = [];
  answered = [];
  const onAnswer = ({ method, status }: RestApiAnswer) => answered.push([status, method?.Resource]);
  api = await startRestApi('test', { clock: createMovableClock(), onAnswer });
  api.addMethod({
    routeKey: 'POST /hook/{id}',
    requestTemplates: new Map([['application/json', template(ECHO)]]),
    call: async (body) => {
      called.push(body);
      return { status: 200, body: '' };
    },
    responses: [
      { status: 200, pattern: /^200$/, template: template('{"message":"OK"}') },
      { status: 503, pattern: undefined, template: template('{"message":"Service Unavailable"}') },
    ],
    timeoutMs: 5_000,
    ...changes,
  });
  api.addStage({ name: 'live', throttle, hasDetailedMetrics: true });
  return { url: `${api.url}/live/hook/1`, called };
};

const post = (url: string, headers: Record<string, string> = {}, body: string | Buffer = '{}') =>
  new Promise<number>((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    outgoing.on('error', reject).end(body);
  });

describe('a REST API', () => {
  it('renders the body as base64, the path variable, and the headers as the client wrote them', async () => {
    const { url, called } = await startApi();
    const body = Buffer.from([0xff, 0x00]);
    expect(await post(url, { 'X-Name': 'a "b"' }, body)).toBe(200);
    expect(called).toEqual([`${body.toString('base64')}|1|a "b"`]);
  });

  it.each([
    ['a request without a content type as JSON', {}, 200],
    ['parameters of the content type', { 'content-type': 'Application/JSON; charset=utf-8' }, 200],
    ['no other content type', { 'content-type': 'image/png' }, 415],
  ])('accepts %s', async (_name, headers, status) => {
    const { url } = await startApi();
    expect(await post(url, headers)).toBe(status);
  });

  it.each([400, 403, 500])('answers 503 when its service answers %d', async (status) => {
    const { url } = await startApi({ call: async () => ({ status, body: '' }) });
    expect(await post(url)).toBe(503);
  });

  it('answers 500 when a template sets the status twice, as API Gateway answers 5xx', async () => {
    const twice = '#set($context.responseOverride.status = 503)#set($context.responseOverride.status = 413){}';
    const { url } = await startApi({ responses: [{ status: 200, pattern: undefined, template: template(twice) }] });
    expect(await post(url)).toBe(500);
  });

  it('counts the answers of its methods one by one, and those to unknown paths only as its own', async () => {
    const { url } = await startApi();
    await post(url, { 'content-type': 'image/png' });
    await post(`${url}/unknown`);
    expect(answered).toEqual([
      [415, '/hook/{id}'],
      [403, undefined],
    ]);
  });

  it('answers 504 when its service does not answer in time', async () => {
    const { url } = await startApi({ call: () => new Promise(() => undefined), timeoutMs: 50 });
    expect(await post(url)).toBe(504);
  });

  it('answers 500 when the call fails', async () => {
    const { url } = await startApi({ call: () => Promise.reject(new Error('broken')) });
    expect(await post(url)).toBe(500);
  });

  it('answers 413 to more than 10 MB, and 429 above its limit', async () => {
    const { url } = await startApi({}, { requestsPerSecond: 1 / 3600, burst: 2 });
    expect(await post(url, {}, Buffer.alloc(10 * 1024 * 1024 + 1))).toBe(413);
    expect([await post(url), await post(url)]).toEqual([200, 429]);
  });

  it('answers unknown paths, methods, and stages with 403 unless the template says otherwise', async () => {
    const { url } = await startApi();
    const unknown = [url.replace('/live/', '/test/'), `${url}/2`, url.replace('/hook/1', '')];
    expect(await Promise.all(unknown.map((one) => post(one)))).toEqual([403, 403, 403]);
    api?.setUnknownPath({ status: 404, body: '{}' });
    expect((await fetch(url)).status).toBe(404);
  });
});

describe('a mapping template', () => {
  it.each([
    ['$util.parseJson("{}")', '$util.parseJson()'],
    ["$input.path('$')", '$input.path()'],
    ['$context.requestId', '$context.requestId'],
    ['$stageVariables.x', '$stageVariables.x'],
    ['#set($a = 1)$a.hashCode()', '$a.hashCode()'],
    ['#macro(x)1#end', '#macro'],
  ])('is refused if it uses what the local run does not know: %s', (text, named) => {
    expect(() => template(text)).toThrow(
      `the template: the local run does not support ${named} in a mapping template.`,
    );
  });

  it('loops, compares, and sets the status', () => {
    const text =
      "#set($all = $input.params().get('header'))#foreach($n in $all.keySet())#if($n.toLowerCase() == 'a')[$n]#elseif($n.indexOf('b') >= 0)($n)#else-#end#end";
    const input = {
      body: '',
      headers: { A: '', xb: '', c: '' },
      pathParameters: {},
      extendedRequestId: '',
      requestTimeEpoch: 0,
    };
    expect(template(text)(input).text).toBe('[A](xb)-');
    expect(template('#set($context.responseOverride.status = 413)x')(input)).toEqual({ text: 'x', status: 413 });
  });
});
