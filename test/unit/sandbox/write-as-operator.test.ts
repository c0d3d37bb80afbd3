import { describe, expect, it } from 'vitest';
import { CHANNEL, startTestSandbox, USER, userPath } from '../../support/running-sandbox.ts';

const published = async (sandbox: Awaited<ReturnType<typeof startTestSandbox>>) => {
  const { log } = await (await fetch(`${sandbox.url}/console/start`)).json();
  return log
    .filter(({ type }: { type: string }) => type === 'event-published')
    .map(({ event }: { event: unknown }) => event);
};

describe('POST /sandbox/users/{contact}/operator-messages', () => {
  it('shows the message on the phone, and publishes its echo with the given fields, then its status', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'A person, please.' });

    const answer = await sandbox.control(`POST ${userPath(USER)}/operator-messages`, {
      text: 'This is Ana.',
      fields: { OPERATOR_ID: 'ana', FROM: 'somebody else' },
    });

    expect(answer).toMatchObject({ status: 202, body: { _id_: expect.any(String) } });
    const [status, echo] = await published(sandbox);
    expect(echo).toMatchObject({
      ...(answer.body as object),
      OPERATOR_ID: 'ana',
      FROM: 'me',
      TO: USER,
      CHAT_CHANNEL_ID: CHANNEL,
      MESSAGE: 'This is Ana.',
    });
    expect(status).toMatchObject({ ...(answer.body as object), STATUS: 'delivered' });
    const conversation = await sandbox.control(`GET ${userPath(USER)}/conversation`);
    expect(conversation.body).toMatchObject({
      messages: [{ direction: 'in' }, { direction: 'out', endpoint: 'operator-console', text: 'This is Ana.' }],
    });
  });

  it('is not among the messages that the API accepted, and costs no credit', async () => {
    const sandbox = await startTestSandbox({ credit: 1 });
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'A person, please.' });
    await sandbox.control(`POST ${userPath(USER)}/operator-messages`, { text: 'This is Ana.' });

    expect((await sandbox.control('GET /outbox')).body).toEqual({ messages: [] });
    expect((await sandbox.control('GET /state')).body).toMatchObject({ credit: 1 });
  });

  it.each([
    ['to a user who has never written', async () => undefined],
    [
      'after the window has closed',
      async (sandbox: Awaited<ReturnType<typeof startTestSandbox>>) => {
        await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'A person, please.' });
        await sandbox.control('POST /clock', { advanceSeconds: 25 * 3_600 });
      },
    ],
    [
      'to a user who is not on the platform',
      (sandbox: Awaited<ReturnType<typeof startTestSandbox>>) =>
        sandbox.control(`PATCH ${userPath(USER)}`, { onPlatform: false }),
    ],
  ])('is refused %s', async (_, arrange) => {
    const sandbox = await startTestSandbox();
    await arrange(sandbox);

    const answer = await sandbox.control(`POST ${userPath(USER)}/operator-messages`, { text: 'This is Ana.' });

    expect(answer.status).toBe(409);
  });

  it.each([{}, { text: '' }, { text: 'Hi', operator: 'ana' }])('refuses the body %j', async (body) => {
    const sandbox = await startTestSandbox();

    expect((await sandbox.control(`POST ${userPath(USER)}/operator-messages`, body)).status).toBe(400);
  });
});
