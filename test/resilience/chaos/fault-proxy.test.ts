import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ListeningServer, listenLocally } from '../../../local/base/listen-locally.ts';
import { type FaultProxy, type FaultProxyOptions, type ProxiedCall, startFaultProxy } from './fault-proxy.ts';
import { CALL_FAULTS, type CallFault, OUTAGES, PART_NAMES } from './parts.ts';
import { SERVICE_ERRORS } from './service-errors.ts';

// Each fault once, in front of a service that counts what reaches it.

let service: ListeningServer;
let reached: string[];
let calls: ProxiedCall[];
let injected: string[];
let proxy: FaultProxy;
let fault: CallFault | undefined;

const start = async (changes: Partial<FaultProxyOptions> = {}): Promise<FaultProxy> => {
  const started = await startFaultProxy({
    deck: { next: () => fault, random: () => 0.5 },
    errors: SERVICE_ERRORS.eventBridge,
    delayMs: 1,
    onFault: (one) => injected.push(one),
    onCall: (call) => calls.push(call),
    ...changes,
  });
  started.setTarget(service.url);
  started.setActive(true);
  return started;
};

/** Returns the status and the body, or the code of the network error. */
const post = async (body: string): Promise<readonly [unknown, string?]> => {
  try {
    const response = await fetch(`${proxy.url}/path`, { method: 'POST', body });
    return [response.status, await response.text()];
  } catch (error) {
    const { cause } = Object(error);
    return [Object(cause).code];
  }
};

beforeEach(async () => {
  [reached, calls, injected, fault] = [[], [], [], undefined];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    reached.push(`${request.method} ${request.url} ${request.headers.host === new URL(service.url).host} ${body}`);
    response.end(`answer to ${body}`);
  });
  service = await listenLocally(server);
  proxy = await start();
});
afterEach(async () => {
  await proxy.close();
  await service.close();
});

describe('a proxy with faults', () => {
  it('passes a call on, and records it', async () => {
    expect(await post('one')).toEqual([200, 'answer to one']);
    expect(reached).toEqual(['POST /path true one']);
    expect(calls).toMatchObject([
      { path: '/path', body: 'one', fault: undefined, answer: { body: 'answer to one' }, answeredStatus: 200 },
    ]);
    expect(injected).toEqual([]);
  });

  it.each<[CallFault, answer: readonly unknown[], reaches: number]>([
    ['late request', [200, 'answer to one'], 1],
    ['late answer', [200, 'answer to one'], 1],
    ['reset before', ['ECONNRESET'], 0],
    ['reset after', ['ECONNRESET'], 1],
    ['throttled', [400, expect.stringContaining('ThrottlingException')], 0],
    ['failed before', [500, expect.stringContaining('InternalException')], 0],
    ['failed after', [500, expect.stringContaining('InternalException')], 1],
  ])('injects: %s', async (injectedFault, answer, reaches) => {
    fault = injectedFault;
    expect(await post('one')).toEqual(answer);
    expect(reached).toHaveLength(reaches);
    expect(injected).toEqual([injectedFault]);
    expect(calls).toMatchObject([
      { fault: injectedFault, answeredStatus: typeof answer[0] === 'number' ? answer[0] : undefined },
    ]);
  });

  it('injects nothing while it is not active', async () => {
    proxy.setActive(false);
    fault = 'reset before';
    expect(await post('one')).toEqual([200, 'answer to one']);
  });

  it('refuses connections during an outage, and accepts them afterward at the same address', async () => {
    await post('one');
    const outage = proxy.startOutage('refused');
    expect(await post('two')).toEqual(['ECONNREFUSED']);
    await outage.end();
    expect(await post('three')).toEqual([200, 'answer to three']);
    expect(reached).toHaveLength(2);
    expect(injected).toEqual(['refused']);
  });

  it('leaves calls unanswered during an outage, and resets them at its end', async () => {
    const outage = proxy.startOutage('unanswered');
    expect(outage.isNoticed()).toBe(false);
    const unanswered = post('one');
    await expect.poll(() => injected).toEqual(['unanswered']);
    expect(outage.isNoticed()).toBe(true);
    await outage.end();
    expect(await unanswered).toEqual(['ECONNRESET']);
    await expect.poll(() => calls).toMatchObject([{ fault: 'unanswered', answer: undefined }]);
    expect(reached).toEqual([]);
  });

  it('passes a late request on even if the caller has given up', async () => {
    await proxy.close();
    // A long delay.
    proxy = await start({ deck: { next: () => 'late request', random: () => 0.1 } });
    const caller = new AbortController();
    const given = fetch(proxy.url, { method: 'POST', body: 'one', signal: caller.signal }).catch(() => 'given up');
    await expect.poll(() => injected).toEqual(['late request']);
    caller.abort();
    expect(await given).toBe('given up');
    await expect.poll(() => calls, { timeout: 30_000 }).toMatchObject([{ answeredStatus: undefined }]);
    expect(reached).toHaveLength(1);
  });

  it('has an error of every part, and a test of every fault', () => {
    expect(Object.keys(SERVICE_ERRORS).toSorted()).toEqual([...PART_NAMES].toSorted());
    expect([...CALL_FAULTS, ...OUTAGES]).toHaveLength(9);
  });
});
