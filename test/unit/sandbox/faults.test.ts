import { describe, expect, it } from 'vitest';
import {
  aMessage,
  eventIn,
  eventually,
  startTestSandbox,
  TOKEN,
  USER,
  userPath,
  webhookTo,
} from '../../support/running-sandbox.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

const OTHER_USER = '+5491155550001';

const startWithWindows = async () => {
  const sandbox = await startTestSandbox();
  for (const user of [USER, OTHER_USER]) await sandbox.control(`POST ${userPath(user)}/messages`, { text: 'Hi' });
  return sandbox;
};
const outbox = async (sandbox: Awaited<ReturnType<typeof startWithWindows>>) =>
  JSON.parse((await sandbox.control('GET /outbox')).text).messages.length;

describe('a fault of answers', () => {
  it('replaces the given number of answers with its status, body and headers, and nothing is accepted', async () => {
    const sandbox = await startWithWindows();
    await sandbox.control('POST /faults', {
      answers: { count: 2, status: 503, body: 'busy', headers: { 'Retry-After': '7' } },
    });
    for (const _call of [1, 2]) {
      const answer = await sandbox.api('/message/v3', aMessage());
      expect([answer.status, answer.text, answer.headers.get('retry-after')]).toEqual([503, 'busy', '7']);
    }
    expect(await outbox(sandbox)).toBe(0);
    expect((await sandbox.api('/message/v3', aMessage())).status).toBe(200);
    expect(await outbox(sandbox)).toBe(1);
  });

  it('can occur after the message was accepted', async () => {
    const sandbox = await startWithWindows();
    await sandbox.control('POST /faults', { answers: { status: 500, body: { oops: true }, accept: true } });
    expect(await sandbox.api('/message/v3', aMessage())).toMatchObject({ status: 500, body: { oops: true } });
    expect(await outbox(sandbox)).toBe(1);
  });

  it.each([
    { reset: 'before', accepted: 0 },
    { reset: 'after', accepted: 1 },
  ])('resets the connection $reset the message is accepted', async ({ reset, accepted }) => {
    const sandbox = await startWithWindows();
    await sandbox.control('POST /faults', { answers: { reset } });
    await expect(sandbox.api('/message/v3', aMessage())).rejects.toThrow();
    expect(await outbox(sandbox)).toBe(accepted);
    const { calls } = Object((await sandbox.control('GET /calls')).body);
    expect(calls).toMatchObject([{ status: null, answer: '', messageId: null }]);
  });

  it('delays the answer to an accepted message', async () => {
    const sandbox = await startWithWindows();
    await sandbox.control('POST /faults', { answers: { delayMs: 30 } });
    expect((await sandbox.api('/message/v3', aMessage())).status).toBe(200);
    expect(await outbox(sandbox)).toBe(1);
  });

  it('affects only the endpoint and the user it names', async () => {
    const sandbox = await startWithWindows();
    await sandbox.control('POST /faults', { answers: { endpoint: 'intent/v2', status: 500 } });
    await sandbox.control('POST /faults', { answers: { contact: OTHER_USER, status: 502 } });
    expect((await sandbox.api('/message/v3', aMessage())).status).toBe(200);
    expect((await sandbox.api('/message/v3', aMessage({ platformContactId: OTHER_USER }))).status).toBe(502);
    expect((await sandbox.control('GET /faults')).body).toMatchObject({
      answers: [{ endpoint: 'intent/v2', count: 1 }],
    });
  });

  it('is removed by DELETE and by a reset', async () => {
    const sandbox = await startWithWindows();
    for (const end of ['DELETE /faults', 'POST /reset']) {
      await sandbox.control('POST /faults', { answers: { status: 500 }, deliveries: { double: true } });
      await sandbox.control(end);
      expect((await sandbox.control('GET /faults')).body).toEqual({ answers: [], deliveries: [] });
    }
  });

  it.each([{}, { answers: {} }, { answers: { status: 500, oops: 1 } }, { answers: { reset: 'after', status: 500 } }])(
    'is refused with a sentence: %j',
    async (body) => {
      const sandbox = await startTestSandbox();
      expect(await sandbox.control('POST /faults', body)).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining('The body is not valid') } },
      });
    },
  );
});

describe('a fault of deliveries', () => {
  const deliverTexts = async (fault: Record<string, unknown>, texts: readonly string[]) => {
    const sandbox = await startTestSandbox();
    const receiver = await startWebhookReceiver();
    await sandbox.control('POST /faults', { deliveries: fault });
    for (const text of texts) await sandbox.control(`POST ${userPath(USER)}/messages`, { text });
    sandbox.setWebhook(webhookTo(receiver.url));
    return () => receiver.requests.map(({ body }) => eventIn(body).MESSAGE);
  };

  it('delivers an event twice', async () => {
    const received = await deliverTexts({ double: true }, ['one', 'two']);
    await eventually(() => expect(received().toSorted()).toEqual(['one', 'one', 'two']));
  });

  it('delivers events in reverse order', async () => {
    const received = await deliverTexts({ count: 3, reverse: true }, ['one', 'two', 'three']);
    await eventually(() => expect(received()).toEqual(['three', 'two', 'one']));
  });

  it('delays an event while others are delivered', async () => {
    const received = await deliverTexts({ holdMs: 1_000 }, ['one', 'two']);
    await eventually(() => expect(received()).toEqual(['two', 'one']));
  });

  it('does not prevent the sandbox from closing', async () => {
    const received = await deliverTexts({ count: 3, reverse: true }, ['one']);
    expect(received()).toEqual([]);
  });
});

describe('access tokens', () => {
  it('can be replaced while the service runs', async () => {
    const sandbox = await startWithWindows();
    await sandbox.control('PUT /tokens', { accessTokens: ['another'] });
    expect((await sandbox.api('/message/v3', aMessage())).status).toBe(401);
    expect((await sandbox.api('/message/v3', aMessage(), { 'access-token': 'another' })).status).toBe(200);
    await sandbox.control('PUT /tokens', { accessTokens: ['another', TOKEN] });
    expect((await sandbox.api('/message/v3', aMessage())).status).toBe(200);
  });
});
