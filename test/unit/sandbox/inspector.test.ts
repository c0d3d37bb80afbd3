import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type {
  ContactStatus,
  Decided,
  Inspector,
  InspectorChange,
  Refused,
  StageFeatures,
  StageStatus,
} from '../../../sandbox/base/inspector.ts';
import { startTestSandbox } from '../../support/running-sandbox.ts';

const CLOSED: StageStatus = { circuitBreaker: { state: 'closed' }, sending: { state: 'running' } };
const OPEN: StageStatus = { ...CLOSED, circuitBreaker: { state: 'open', why: 'Insufficient credit' } };
const STOPPED: StageStatus = { ...CLOSED, sending: { state: 'stopped', note: 'Wrong price' } };
const DECIDED: Decided = {
  kind: 'decided',
  decision: { ...CLOSED, decision: 'refused', code: 'OPTED_OUT', why: 'STOP.', backlog: { queue: 0, bulk: 3 } },
};
const OPTED_OUT: ContactStatus = {
  consent: { state: 'opted-out', source: 'keyword STOP' },
  window: { open: false },
};
const BY_PEOPLE: ContactStatus = { ...OPTED_OUT, handover: { state: 'people', since: '2026-11-21T10:00:00.000Z' } };

const MESSAGE = { id: 'm-1', isFromUser: true, at: '2026-11-21T10:00:00.000Z', summary: 'Hi', isEdited: false };

/** An inspector that records its calls. */
const anInspector = () => {
  const listeners = new Set<(change: InspectorChange) => void>();
  const inspector = {
    sendStates: ['accepted', 'waiting'],
    features: { handovers: true, keywords: false, confirmsOptOuts: false, bulkLane: true } as StageFeatures,
    dryRun: vi.fn<Inspector['dryRun']>(async () => DECIDED),
    contact: vi.fn<Inspector['contact']>(async () => OPTED_OUT),
    customerMessages: vi.fn<Inspector['customerMessages']>(async () => [MESSAGE]),
    handOver: vi.fn<Inspector['handOver']>(async () => ({ kind: 'changed', contact: BY_PEOPLE })),
    handBack: vi.fn<Inspector['handBack']>(async () => ({ kind: 'changed', contact: OPTED_OUT })),
    sends: vi.fn<Inspector['sends']>(async () => ({
      sends: [{ requestId: 'r-1', state: 'accepted' }],
      total: 1,
      states: { accepted: 1 },
    })),
    trace: vi.fn<Inspector['trace']>(async () => ({ items: {}, keys: ['SEND#r-1 SEND'] })),
    enqueue: vi.fn<Inspector['enqueue']>(async () => undefined),
    depths: vi.fn<Inspector['depths']>(async () => ({
      send: 1,
      sendDeadLetters: 2,
      inbound: 3,
      inboundDeadLetters: 4,
    })),
    deadLetters: vi.fn<Inspector['deadLetters']>(async () => [{ id: 'm', body: '{}', receiveCount: 1 }]),
    resolve: vi.fn<Inspector['resolve']>(async () => ({ kind: 'resolved', state: 'rejected' })),
    redrive: vi.fn<Inspector['redrive']>(async () => ({ kind: 'redriven', moved: 1 })),
    discard: vi.fn<Inspector['discard']>(async () => ({ kind: 'discarded' })),
    stage: vi.fn<Inspector['stage']>(async () => OPEN),
    closeCircuitBreaker: vi.fn<Inspector['closeCircuitBreaker']>(async () => ({ kind: 'changed', stage: CLOSED })),
    stopSending: vi.fn<Inspector['stopSending']>(async () => ({ kind: 'changed', stage: STOPPED })),
    resumeSending: vi.fn<Inspector['resumeSending']>(async () => ({ kind: 'changed', stage: CLOSED })),
    watch: (listener: (change: InspectorChange) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return { inspector, listeners };
};

const callsTo = (url: string) => async (path: string, body?: unknown) => {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return (await fetch(`${url}/inspector${path}`, init)).json();
};

describe('the inspector over HTTP', () => {
  it('returns 404 if the sandbox has no inspector', async () => {
    const { url } = await startTestSandbox();

    const answer = await fetch(`${url}/inspector/depths`);

    expect(answer.status).toBe(404);
    expect(await (await fetch(`${url}/console/start`)).json()).toMatchObject({ hasInspector: false, features: null });
  });

  it('passes each call to the inspector', async () => {
    const { inspector } = anInspector();
    const { url } = await startTestSandbox({ inspector });
    const call = callsTo(url);

    expect(await call('/depths')).toEqual({ send: 1, sendDeadLetters: 2, inbound: 3, inboundDeadLetters: 4 });
    expect(await call('/sends?contact=%2B54911&state=waiting&since=2026&text=hi')).toEqual({
      sends: [{ requestId: 'r-1', state: 'accepted' }],
      total: 1,
      states: { accepted: 1 },
    });
    expect(inspector.sends).toHaveBeenCalledWith({ contact: '+54911', state: 'waiting', since: '2026', text: 'hi' });
    expect(await call('/requests/r%2F1')).toEqual({ items: {}, keys: ['SEND#r-1 SEND'] });
    expect(inspector.trace).toHaveBeenCalledWith({ requestId: 'r/1' });
    await call('/messages/m-1');
    expect(inspector.trace).toHaveBeenCalledWith({ messageId: 'm-1' });
    await call('/requests', { body: { requestId: 'r-2' }, groupId: '+54911', deduplicationId: 'r-2' });
    expect(inspector.enqueue).toHaveBeenCalledWith('{"requestId":"r-2"}', { groupId: '+54911', id: 'r-2' }, 'send');
    await call('/requests', { body: { requestId: 'r-3' }, groupId: '+54911', deduplicationId: 'r-3', queue: 'bulk' });
    expect(inspector.enqueue).toHaveBeenLastCalledWith(expect.anything(), expect.anything(), 'bulk');
    expect(await call('/dead-letters/inbound')).toEqual({ messages: [{ id: 'm', body: '{}', receiveCount: 1 }] });
    expect(await call('/dead-letters/send/redrive', {})).toEqual({ moved: 1 });
    expect(inspector.redrive).toHaveBeenLastCalledWith('send', undefined);
    expect(await call('/dead-letters/bulk/redrive', {})).toEqual({ moved: 1 });
    expect(inspector.redrive).toHaveBeenLastCalledWith('bulk', undefined);
    expect(await call('/dead-letters/inbound/redrive', { id: 'm/1' })).toEqual({ moved: 1 });
    expect(inspector.redrive).toHaveBeenLastCalledWith('inbound', 'm/1');
    const discarded = await fetch(`${url}/inspector/dead-letters/send/m%2F1`, { method: 'DELETE' });
    expect(await discarded.json()).toEqual({ discarded: true });
    expect(inspector.discard).toHaveBeenCalledWith('send', 'm/1');
    expect(await call('/requests/r%2F1/resolution', { outcome: 'failed', note: 'n' })).toEqual({ state: 'rejected' });
    expect(inspector.resolve).toHaveBeenCalledWith('r/1', { outcome: 'failed', note: 'n' });
  });

  it('passes on the stage and the actions on it', async () => {
    const { inspector } = anInspector();
    const { url } = await startTestSandbox({ inspector });
    const call = callsTo(url);

    expect(await call('/stage')).toEqual(OPEN);
    expect(await call('/circuit-breaker-closures', {})).toEqual(CLOSED);
    expect(inspector.closeCircuitBreaker).toHaveBeenCalledWith(undefined);
    expect(await call('/stops', { note: 'Wrong price' })).toEqual(STOPPED);
    expect(inspector.stopSending).toHaveBeenCalledWith('Wrong price');
    expect(await call('/resumptions', { note: 'Fixed' })).toEqual(CLOSED);
    expect(inspector.resumeSending).toHaveBeenCalledWith('Fixed');
  });

  it('passes on dry runs, also those that are refused, and what is recorded about a contact', async () => {
    const { inspector } = anInspector();
    const { url } = await startTestSandbox({ inspector });
    const call = callsTo(url);

    expect(await call('/dry-runs', { request: { messageText: 'Hi' } })).toEqual(DECIDED);
    expect(inspector.dryRun).toHaveBeenCalledWith({ messageText: 'Hi' });
    inspector.dryRun.mockResolvedValue({ kind: 'refused', status: 400, message: 'Not a send request.' });
    expect(await call('/dry-runs', { request: {} })).toMatchObject({ kind: 'refused', message: 'Not a send request.' });
    expect(await call('/contacts/%2B54911')).toEqual({ contact: OPTED_OUT });
    expect(inspector.contact).toHaveBeenCalledWith('+54911', undefined);
    await call('/contacts/%2B54911?customerId=K%263');
    expect(inspector.contact).toHaveBeenLastCalledWith('+54911', 'K&3');
    expect(await call('/customers/K%263/messages')).toEqual({ messages: [MESSAGE] });
    expect(inspector.customerMessages).toHaveBeenCalledWith('K&3');
    inspector.contact.mockResolvedValue(undefined);
    expect(await call('/contacts/%2B54911')).toEqual({ contact: null });
    expect(await call('/contacts/%2B54911/handover', {})).toEqual({ contact: BY_PEOPLE });
    expect(inspector.handOver).toHaveBeenCalledWith('+54911');
    expect(await call('/contacts/%2B54911/handback', {})).toEqual({ contact: OPTED_OUT });
    expect(inspector.handBack).toHaveBeenCalledWith('+54911');
  });

  it('says in the start of the page what the stage turns on, and refuses bulk requests without their queue', async () => {
    const { inspector } = anInspector();
    inspector.features = {
      handovers: false,
      keywords: false,
      confirmsOptOuts: false,
      bulkLane: false,
      windowMarginSeconds: 30,
    };
    const { url } = await startTestSandbox({ inspector });

    const start = await (await fetch(`${url}/console/start`)).json();
    const queued = await callsTo(url)('/requests', { body: {}, groupId: 'a', deduplicationId: 'b', queue: 'bulk' });

    expect(start).toMatchObject({ hasInspector: true, features: inspector.features });
    expect(queued).toMatchObject({ error: { code: 409, message: expect.stringContaining('sends.bulkLane') } });
    expect(inspector.enqueue).not.toHaveBeenCalled();
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/redrive'],
      ['DELETE', '/m'],
    ]) {
      expect((await fetch(`${url}/inspector/dead-letters/bulk${path}`, { method })).status).toBe(409);
    }
    for (const act of ['deadLetters', 'redrive', 'discard'] as const) expect(inspector[act]).not.toHaveBeenCalled();
  });

  it.each([
    ['/stops', ''],
    ['/stops', '{}'],
    ['/stops', '{"note":""}'],
    ['/circuit-breaker-closures', '{"note":1}'],
    ['/resumptions', '{"force":true}'],
    ['/dead-letters/send/redrive', '{"id":""}'],
  ])('refuses POST %s with the body %j', async (path, body) => {
    const { inspector } = anInspector();
    const { url } = await startTestSandbox({ inspector });

    const answer = await fetch(`${url}/inspector${path}`, { method: 'POST', body });

    expect(answer.status).toBe(400);
    for (const act of ['stopSending', 'closeCircuitBreaker', 'resumeSending', 'redrive'] as const) {
      expect(inspector[act]).not.toHaveBeenCalled();
    }
  });

  it.each(['/circuit-breaker-closures', '/resumptions', '/dead-letters/send/redrive'])(
    'reads an empty body of POST %s as an empty object',
    async (path) => {
      const { inspector } = anInspector();
      const { url } = await startTestSandbox({ inspector });

      expect((await fetch(`${url}/inspector${path}`, { method: 'POST' })).status).toBe(200);
    },
  );

  it('returns 400 with the states for an unknown state, and ignores an empty one', async () => {
    const { inspector } = anInspector();
    const { url } = await startTestSandbox({ inspector });

    const answer = await fetch(`${url}/inspector/sends?state=lost`);

    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: { code: 400, message: '"lost" is not a state; use one of accepted, waiting.' } },
    ]);
    expect(inspector.sends).not.toHaveBeenCalled();
    expect((await fetch(`${url}/inspector/sends?state=`)).status).toBe(200);
  });

  it('returns 400 in the error format for an invalid request to enqueue', async () => {
    const { inspector } = anInspector();
    const { url } = await startTestSandbox({ inspector });

    for (const body of ['{', '{"body":"x"}', '{"body":1,"groupId":"a","deduplicationId":"b"}']) {
      const answer = await fetch(`${url}/inspector/requests`, { method: 'POST', body });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { error: { code: 400, message: expect.any(String) } },
      ]);
    }
    expect(inspector.enqueue).not.toHaveBeenCalled();
  });

  it.each([
    ["another site's page", { origin: 'https://elsewhere.example' }],
    ['a host name that resolves to this machine', { host: 'elsewhere.example' }],
  ])('refuses %s', async (_, headers) => {
    const { inspector } = anInspector();
    const { url } = await startTestSandbox({ inspector });

    // fetch cannot set the Host header.
    const sent = request(`${url}/inspector/dead-letters/send/redrive`, { method: 'POST', headers }).end();
    const [answer] = await once(sent, 'response');

    expect([answer.statusCode, JSON.parse(await text(answer)).error.code]).toEqual([403, 403]);
    expect(inspector.redrive).not.toHaveBeenCalled();
  });

  it.each([
    '{',
    '{}',
    '{"outcome":"lost"}',
    '{"outcome":"accepted"}',
    '{"outcome":"failed","messageId":"m-1"}',
    '{"outcome":"failed","enqueue":false}',
  ])('refuses the resolution %s', async (body) => {
    const { inspector } = anInspector();
    const { url } = await startTestSandbox({ inspector });

    const answer = await fetch(`${url}/inspector/requests/r-1/resolution`, { method: 'POST', body });

    expect(answer.status).toBe(400);
    expect(inspector.resolve).not.toHaveBeenCalled();
  });

  it.each([
    ['GET', '/stage', new Error('The management API does not respond'), 'The management API does not respond.'],
    ['GET', '/sends', new Error('Parley could not complete the call.'), 'Parley could not complete the call.'],
    ['GET', '/requests/r-1', new AggregateError([new Error('connect ECONNREFUSED')]), 'AggregateError.'],
    ['POST', '/dead-letters/send/redrive', new Error('socket hang up'), 'socket hang up.'],
  ])(
    "answers %s %s with 502 and a sentence if the customer's side fails with %s",
    async (method, path, error, reason) => {
      const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      onTestFinished(() => printed.mockRestore());
      const { inspector } = anInspector();
      for (const call of ['stage', 'sends', 'trace', 'redrive'] as const) inspector[call].mockRejectedValue(error);
      const { url } = await startTestSandbox({ inspector });

      const answer = await fetch(`${url}/inspector${path}`, { method });

      expect([answer.status, await answer.json()]).toEqual([
        502,
        { error: { code: 502, message: `The inspector failed: ${reason}` } },
      ]);
      expect(printed).toHaveBeenCalledOnce();
    },
  );

  it.each([
    ['POST', '/requests/r-1/resolution', '{"outcome":"failed"}'],
    ['POST', '/circuit-breaker-closures', '{}'],
    ['POST', '/stops', '{"note":"n"}'],
    ['POST', '/resumptions', '{}'],
    ['POST', '/contacts/a/handover', '{}'],
    ['POST', '/contacts/a/handback', '{}'],
    ['POST', '/dead-letters/send/redrive', '{"id":"m"}'],
    ['DELETE', '/dead-letters/send/m', undefined],
  ])('says why %s %s was refused', async (method, path, body) => {
    const { inspector } = anInspector();
    const refused: Refused = { kind: 'refused', status: 404, message: 'It does not exist.' };
    for (const act of ['resolve', 'redrive', 'discard'] as const) inspector[act].mockResolvedValue(refused);
    for (const act of ['closeCircuitBreaker', 'stopSending', 'resumeSending', 'handOver', 'handBack'] as const) {
      inspector[act].mockResolvedValue(refused);
    }
    const { url } = await startTestSandbox({ inspector });

    const answer = await fetch(`${url}/inspector${path}`, { method, body });

    expect([answer.status, await answer.json()]).toEqual([
      404,
      { error: { code: 404, message: 'It does not exist.' } },
    ]);
  });

  it('streams changes until the reader leaves', async () => {
    const { inspector, listeners } = anInspector();
    const { url } = await startTestSandbox({ inspector });
    const reader = new AbortController();

    const answer = await fetch(`${url}/inspector/feed`, { signal: reader.signal });
    await vi.waitFor(() => expect(listeners.size).toBe(1));
    for (const listener of listeners) {
      listener({ kind: 'send', send: { requestId: 'r-1', state: 'waiting' }, states: { waiting: 1 } });
    }
    let received = '';
    for await (const chunk of answer.body ?? []) {
      received += Buffer.from(chunk).toString();
      if (received.includes('waiting')) break;
    }
    reader.abort();

    expect(received).toContain(
      'event: send\ndata: {"send":{"requestId":"r-1","state":"waiting"},"states":{"waiting":1}}',
    );
    await vi.waitFor(() => expect(listeners.size).toBe(0));
  });

  it('stops streaming when the sandbox closes', async () => {
    const { inspector, listeners } = anInspector();
    const sandbox = await startTestSandbox({ inspector });
    await fetch(`${sandbox.url}/inspector/feed`);
    await vi.waitFor(() => expect(listeners.size).toBe(1));

    await sandbox.close();

    await vi.waitFor(() => expect(listeners.size).toBe(0));
  });
});
