import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalClient, type LocalClient } from '../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import type { DeadLetter, StageStatus } from '../../sandbox/base/inspector.ts';
import { startTestCloud } from '../support/test-cloud.ts';

// What a user of the console does about its banners, through the routes that the page calls.

let cloud: LocalCloud;
let client: LocalClient;

beforeAll(async () => {
  cloud = await startTestCloud();
  client = createLocalClient(cloud);
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
});

const call = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${cloud.chatServiceUrl}/inspector${path}`, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};
const enqueue = (requestId: string, groupId: string, request: object) =>
  call('POST', '/requests', { body: { requestId, ...request }, groupId, deduplicationId: requestId });
const stage = async (): Promise<StageStatus> => (await call('GET', '/stage')).body;
const deadRequests = async (): Promise<readonly DeadLetter[]> =>
  (await call('GET', '/dead-letters/send')).body.messages;

/** Follows the inspector's feed, as the page does. Returns the data of the changes of one kind. */
const followFeed = async () => {
  const reading = new AbortController();
  const response = await fetch(`${cloud.chatServiceUrl}/inspector/feed`, { signal: reading.signal });
  let received = '';
  const read = async () => {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) received += text;
  };
  // The connection ends with the test.
  read().catch(() => undefined);
  return {
    of: (kind: string) =>
      [...received.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].flatMap(([, event, data = '']) =>
        event === kind ? [JSON.parse(data)] : [],
      ),
    [Symbol.dispose]: () => reading.abort(),
  };
};

describe('the console', () => {
  it('shows an open circuit breaker, makes its probe due, and shows it closed after the probe', async () => {
    const contact = '+5491155550501';
    const id = await client.userWrites(contact, { text: 'Hi' });
    await waitFor('the window is open', async () => (await client.table())[`MESSAGE#${id} MESSAGE`]);
    using feed = await followFeed();
    const states = () => feed.of('stage').map((change) => change.stage.circuitBreaker.state);
    await waitFor('the feed starts with the stage', async () => states()[0]);
    await client.control('PATCH', '/account', { credit: 0 });

    await enqueue('unpaid', contact, { platformContactId: contact, messageText: 'One' });
    await waitFor('the feed shows the circuit breaker open', async () => states().find((state) => state === 'open'));
    expect((await stage()).circuitBreaker).toMatchObject({ state: 'open', why: 'HTTP 403, code 101' });
    const closure = await call('POST', '/circuit-breaker-closures', {});
    await client.control('PATCH', '/account', { credit: 1000 });

    expect(closure).toMatchObject({ status: 200, body: { circuitBreaker: { state: 'open' } } });
    expect(closure.body.circuitBreaker.nextProbeAt <= cloud.clock.now().toISOString()).toBe(true);
    // The waiting request is the probe. It would ask again by itself 5 to 8.5 seconds after the circuit breaker opened.
    await client.advanceClock(10);
    await waitFor('the feed shows the circuit breaker closed', async () => states().at(-1) === 'closed' || undefined);
    expect(await stage()).toEqual({ circuitBreaker: { state: 'closed' }, sending: { state: 'running' } });
    await waitFor('the request is accepted', async () => {
      const { sends } = (await call('GET', `/sends?contact=${encodeURIComponent(contact)}&state=accepted&text=one`))
        .body;
      return sends[0];
    });
  });

  it('stops and resumes sending', async () => {
    using feed = await followFeed();
    const latest = () => feed.of('stage').at(-1)?.stage.sending;

    const stopped = await call('POST', '/stops', { note: 'Wrong price' });

    expect(stopped).toMatchObject({ status: 200, body: { sending: { state: 'stopped', note: 'Wrong price' } } });
    await waitFor('the feed shows the stop', async () => latest()?.note === 'Wrong price' || undefined);
    expect((await call('POST', '/resumptions', {})).body.sending.state).toBe('running');
    await waitFor('the feed shows the resumption', async () => latest()?.state === 'running' || undefined);
  });

  it('decides about a request without sending it, as Parley does when it sends it', async () => {
    const contact = '+5491155550503';
    const request = { requestId: 'dry', platformContactId: contact, messageText: 'Hello' };
    const decide = async () => (await call('POST', '/dry-runs', { request })).body;

    expect(await decide()).toMatchObject({ kind: 'decided', decision: { decision: 'refused', code: 'WINDOW_CLOSED' } });
    const id = await client.userWrites(contact, { text: 'Hi' });
    await waitFor('the window is open', async () => (await client.table())[`MESSAGE#${id} MESSAGE`]);
    await waitFor('the decision is free-form', async () => {
      const { decision } = await decide();
      return decision.decision === 'free-form' && decision.windowClosesAt;
    });

    expect(await call('POST', '/dry-runs', { request: { ...request, unless: ['nothing'] } })).toMatchObject({
      status: 200,
      body: { kind: 'refused', message: expect.stringContaining('unless') },
    });
    expect((await client.table())['SEND#dry SEND']).toBeUndefined();
  });

  it('redrives one dead letter and discards another, and leaves the record that the command leaves', async () => {
    const contact = '+5491155550502';
    await enqueue('malformed-1', contact, { platformContactId: contact });
    await enqueue('malformed-2', contact, { platformContactId: contact });
    const [first, second] = await waitFor('both are dead letters', async () => {
      const found = await deadRequests();
      return found.length === 2 ? found : undefined;
    });
    expect([first, second]).toMatchObject([
      { requestId: 'malformed-1', groupId: contact, reason: expect.stringMatching(/nothing to send/) },
      { requestId: 'malformed-2', since: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    using feed = await followFeed();
    const depth = () => feed.of('queues').at(-1)?.depths.sendDeadLetters;

    expect(await call('POST', '/dead-letters/send/redrive', { id: first?.id })).toEqual({
      status: 200,
      body: { moved: 1 },
    });
    // It is still malformed.
    await waitFor('the redriven one is a dead letter again', async () => {
      const found = (await deadRequests()).find(({ requestId }) => requestId === 'malformed-1');
      return found && found.id !== first?.id ? found : undefined;
    });
    expect(await call('DELETE', `/dead-letters/send/${second?.id}`)).toEqual({
      status: 200,
      body: { discarded: true },
    });
    await waitFor('the feed shows the other one', async () => (depth() === 1 ? true : undefined));

    expect((await deadRequests()).map(({ requestId }) => requestId)).toEqual(['malformed-1']);
    expect(await call('DELETE', `/dead-letters/send/${second?.id}`)).toEqual({
      status: 404,
      body: { error: { code: 404, message: expect.stringContaining(`${second?.id} not found`) } },
    });
    const audited = Object.values(await client.table()).filter(({ sk }) => sk === 'AUDIT');
    expect(audited).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: 'redrive', queue: 'send', deadLetterId: first?.id }),
        expect.objectContaining({ action: 'dead-letter-deletion', queue: 'send', deadLetterId: second?.id }),
      ]),
    );
  });
});
