import { describe, expect, it } from 'vitest';
import type { EventFormatName } from '../../../sandbox/sandbox.ts';
import { startWithReceiver, USER, untilDelivered, userPath } from '../../support/running-sandbox.ts';

const IMAGE = 'https://media.example/1.png';

/** Starts a sandbox in which the user has sent a message, and edits messages of the user. */
const startWithMessage = async (message: object, eventFormat: EventFormatName = 'uppercase') => {
  const { receiver, sandbox } = await startWithReceiver({ eventFormat }, { auth: { kind: 'none' }, wrapped: false });
  const { body } = await sandbox.control(`POST ${userPath(USER)}/messages`, message);
  const { _id_: id } = Object(body);
  return {
    sandbox,
    id,
    edit: (edit: object, which = id) => sandbox.control(`PATCH ${userPath(USER)}/messages/${which}`, edit),
    events: async (): Promise<readonly object[]> => {
      await untilDelivered(sandbox);
      return receiver.requests.map((request) => JSON.parse(request.body));
    },
    conversation: async () => (await sandbox.control(`GET ${userPath(USER)}/conversation`)).body,
  };
};

describe('PATCH /sandbox/users/{contact}/messages/{id}', () => {
  it('delivers the message again, with the same ID and time, its new text, and when it was modified', async () => {
    const { sandbox, id, edit, events, conversation } = await startWithMessage({ text: 'Yes', imageUrls: [IMAGE] });
    await sandbox.control('POST /clock', { advanceSeconds: 60 });

    expect(await edit({ text: 'No' })).toMatchObject({ status: 202, body: { _id_: id } });

    const [sent, edited] = (await events()).map(Object);
    expect(edited).toEqual({ ...sent, MESSAGE: 'No', LAST_MODIFICATION: expect.any(String) });
    expect(Date.parse(edited.LAST_MODIFICATION) - Date.parse(sent.LAST_MODIFICATION)).toBeGreaterThanOrEqual(60_000);
    expect(await conversation()).toMatchObject({
      messages: [{ id, text: 'No', media: [{ url: IMAGE }], edits: [edited.LAST_MODIFICATION] }],
    });
  });

  it.each([
    ['camelCase', { message: 'No' }],
    ['v1.1', { messages: [{ message: 'No' }] }],
  ] as const)('delivers it in the format %s, which does not say when it was modified', async (format, content) => {
    const { edit, events } = await startWithMessage({ text: 'Yes' }, format);

    await edit({ text: 'No' });

    const [sent, edited] = (await events()).map(Object);
    expect(edited).toMatchObject(content);
    expect(JSON.stringify(edited).replace('"No"', '"Yes"')).toBe(JSON.stringify(sent));
  });

  it('edits the latest message of the user', async () => {
    const { sandbox, edit, conversation } = await startWithMessage({ text: 'Yes' });
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Thanks' });

    await edit({ text: 'Thank you' }, 'latest');

    expect(await conversation()).toMatchObject({
      messages: [
        { text: 'Yes', edits: [] },
        { text: 'Thank you', edits: [expect.any(String)] },
      ],
    });
  });

  it('opens no window', async () => {
    const { sandbox, edit } = await startWithMessage({ text: 'Yes' });
    await sandbox.control('POST /clock', { advanceSeconds: 25 * 3_600 });

    await edit({ text: 'No' });

    expect((await sandbox.control('GET /users')).body).toMatchObject({ users: [{ windows: [{ open: false }] }] });
  });

  it.each([
    ['nothing', {}],
    ['an empty text', { text: '' }],
    ['a video', { imageUrls: ['https://media.example/1.mp4'] }],
    ['another time', { text: 'No', at: '2026-01-31T10:00:00.000Z' }],
  ])('refuses %s', async (_what, body) => {
    const { edit } = await startWithMessage({ text: 'Yes' });

    expect(await edit(body)).toMatchObject({ status: 400 });
  });

  it('refuses a message of somebody else', async () => {
    const { sandbox, id } = await startWithMessage({ text: 'Yes' });

    const answer = await sandbox.control(`PATCH ${userPath('+5491155559999')}/messages/${id}`, { text: 'No' });

    expect(answer).toMatchObject({ status: 404 });
  });

  it('refuses what has neither text nor media, and what the event format cannot carry', async () => {
    const { edit } = await startWithMessage({ location: { latitude: 1, longitude: 2 } }, 'v1.1');
    const voice = await startWithMessage({ audioUrls: ['https://media.example/1.ogg'] }, 'v1.1');

    expect(await edit({ text: 'No' })).toMatchObject({
      status: 409,
      body: { error: { message: 'Only messages with text or media can be edited.' } },
    });
    expect(await voice.edit({ text: 'No' })).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('The event format v1.1 has no caption for audio') } },
    });
  });

  it('refuses a user who is not on the platform', async () => {
    const { sandbox, edit } = await startWithMessage({ text: 'Yes' });
    await sandbox.control(`PATCH ${userPath(USER)}`, { onPlatform: false });

    expect(await edit({ text: 'No' })).toMatchObject({ status: 409 });
  });
});
