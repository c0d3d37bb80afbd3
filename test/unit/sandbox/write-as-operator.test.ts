import { describe, expect, it } from 'vitest';
import { CHANNEL, startTestSandbox, USER, userPath } from '../../support/running-sandbox.ts';

/** Returns the published events, latest first. */
const published = async (sandbox: Awaited<ReturnType<typeof startTestSandbox>>): Promise<Record<string, unknown>[]> => {
  const { log } = await (await fetch(`${sandbox.url}/console/start`)).json();
  return log
    .filter(({ type }: { type: string }) => type === 'event-published')
    .map(({ event }: { event: unknown }) => event);
};

describe('POST /sandbox/users/{contact}/operator-messages', () => {
  it('shows the message on the phone, and publishes its echo with the given fields', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'A person, please.' });

    const answer = await sandbox.control(`POST ${userPath(USER)}/operator-messages`, {
      text: 'This is Ana.',
      fields: { OPERATOR_ID: 'ana', FROM: 'somebody else' },
    });

    expect(answer).toMatchObject({ status: 202, body: { _id_: expect.any(String) } });
    const [echo] = await published(sandbox);
    expect(echo).toMatchObject({
      ...(answer.body as object),
      OPERATOR_ID: 'ana',
      FROM: 'me',
      TO: USER,
      CHAT_CHANNEL_ID: CHANNEL,
      MESSAGE: 'This is Ana.',
    });
    const conversation = await sandbox.control(`GET ${userPath(USER)}/conversation`);
    expect(conversation.body).toMatchObject({
      messages: [{ direction: 'in' }, { direction: 'out', endpoint: 'operator-console', text: 'This is Ana.' }],
    });
  });

  // Contract, "Events", rule 1: status notifications follow a send by one of the two endpoints.
  it('is delivered and read on the phone, which publishes no status', async () => {
    const sandbox = await startTestSandbox();
    const statusOnPhone = async () => {
      const { body } = await sandbox.control(`GET ${userPath(USER)}/conversation`);
      return (body as { messages: { status?: string }[] }).messages.map(({ status }) => status);
    };
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'A person, please.' });
    await sandbox.control(`POST ${userPath(USER)}/operator-messages`, { text: 'This is Ana.' });
    await sandbox.control(`PATCH ${userPath(USER)}`, { device: 'off' });
    await sandbox.control(`POST ${userPath(USER)}/operator-messages`, { text: 'Are you there?' });
    await sandbox.api('/message/v3', {
      chatPlatform: 'chat',
      chatChannelNumber: CHANNEL,
      platformContactId: USER,
      messageText: 'Your parcel arrives today.',
    });
    expect(await statusOnPhone()).toEqual([undefined, 'delivered', 'accepted', 'accepted']);

    await sandbox.control(`PATCH ${userPath(USER)}`, { device: 'on' });
    expect(await statusOnPhone()).toEqual([undefined, 'delivered', 'delivered', 'delivered']);
    await sandbox.control(`POST ${userPath(USER)}/read`);

    expect(await statusOnPhone()).toEqual([undefined, 'read', 'read', 'read']);
    const [{ id }] = ((await sandbox.control('GET /outbox')).body as { messages: [{ id: string }] }).messages;
    const statuses = (await published(sandbox)).filter(({ OBJECT_TYPE }) => OBJECT_TYPE === 'status');
    expect(statuses.map(({ _id_, STATUS }) => [_id_, STATUS])).toEqual([
      [id, 'read'],
      [id, 'delivered'],
    ]);
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
