import { expect, test } from 'vitest';
import { createClock } from '../../../sandbox/base/clock.ts';
import {
  aMessage,
  aRule,
  DAY_SECONDS,
  eventually,
  startTestSandbox,
  USER,
  userPath,
  webhookTo,
} from '../../support/running-sandbox.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

test('a reset clears the state but keeps the address, the tokens and the webhook', async () => {
  const receiver = await startWebhookReceiver();
  const sandbox = await startTestSandbox({ credit: 5 });
  sandbox.setWebhook(webhookTo(receiver.url));
  await sandbox.control('PUT /rules/table_ready', aRule());
  await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
  await sandbox.api('/message/v3', aMessage());
  await eventually(async () => expect((await sandbox.control('GET /state')).body).toMatchObject({ pending: 0 }));
  receiver.answerWith(500);
  await sandbox.control('POST /events', { from: 'before' });
  await eventually(async () => {
    const { deliveries } = Object((await sandbox.control('GET /deliveries')).body);
    expect(deliveries.at(-1)).toMatchObject({ event: { from: 'before' }, status: 500 });
  });

  const reset = await sandbox.control('POST /reset');
  receiver.answerWith(200);
  const closed = await sandbox.api('/message/v3', aMessage());
  await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello again' });

  expect(reset).toMatchObject({ status: 200, body: { credit: 5, users: [], rules: [], pending: 0 } });
  expect(closed.body).toMatchObject({ error: { code: 201 } });
  expect((await sandbox.control('GET /outbox')).body).toEqual({ messages: [] });
  await eventually(async () => {
    expect((await sandbox.control('GET /deliveries')).body).toMatchObject({
      deliveries: [{ event: { MESSAGE: 'Hello again' }, status: 200 }],
      pending: 0,
    });
  });
});

test('the state contains the users with their windows, the rules, the credit and the time', async () => {
  const sandbox = await startTestSandbox({ credit: 5 });
  await sandbox.control('PUT /rules/table_ready', aRule());
  await sandbox.control(`PATCH ${userPath(USER)}`, { name: 'Ana', optIn: true });
  await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
  await sandbox.control('POST /clock', { advanceSeconds: DAY_SECONDS });

  const state = await sandbox.control('GET /state');

  expect(state.body).toMatchObject({
    now: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
    credit: 5,
    users: [{ contact: USER, name: 'Ana', optIn: true, windows: [{ open: false }] }],
    rules: [{ name: 'table_ready', status: 'approved' }],
  });
});

test('the clock passed to the sandbox is the one that moves', async () => {
  const clock = createClock();
  const sandbox = await startTestSandbox({ clock });

  const answer = await sandbox.control('POST /clock', { advanceSeconds: DAY_SECONDS });

  const now = new Date(Object(answer.body).now).getTime();
  expect(now - Date.now()).toBeGreaterThan((DAY_SECONDS - 60) * 1000);
  expect(clock.now().getTime()).toBeGreaterThanOrEqual(now);
});
