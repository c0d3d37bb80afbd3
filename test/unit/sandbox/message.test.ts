import { describe, expect, test } from 'vitest';
import {
  aMessage,
  CHANNEL,
  DAY_SECONDS,
  OTHER_CHANNEL,
  startTestSandbox,
  USER,
  userPath,
} from '../../support/running-sandbox.ts';

const accepted = { id: expect.any(String), problems: null };
const windowClosed = { error: { code: 201, message: 'User window is over 24 hours' } };

describe('POST /api/v1.0/message/v3', () => {
  test('accepts a message within the window and returns its id (contract, "Send a message")', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });

    const answer = await sandbox.api('/message/v3', aMessage());

    expect(answer).toMatchObject({ status: 200, body: accepted });
    expect((await sandbox.control('GET /outbox')).body).toEqual({
      messages: [
        {
          id: Object(answer.body).id,
          endpoint: 'message/v3',
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
          body: aMessage(),
          content: { messageText: aMessage().messageText },
          status: 'delivered',
        },
      ],
    });
  });

  test('refuses a message to a user who never wrote (contract, "States and transitions")', async () => {
    const sandbox = await startTestSandbox();

    const answer = await sandbox.api('/message/v3', aMessage());

    expect(answer).toMatchObject({ status: 403, body: windowClosed });
    expect((await sandbox.control('GET /outbox')).body).toEqual({ messages: [] });
  });

  test('closes the window 24 hours after the user\'s last message (contract, "Limits")', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    await sandbox.control('POST /clock', { advanceSeconds: DAY_SECONDS - 60 });

    const before = await sandbox.api('/message/v3', aMessage());
    await sandbox.control('POST /clock', { advanceSeconds: 60 });
    const after = await sandbox.api('/message/v3', aMessage());

    expect(before).toMatchObject({ status: 200, body: accepted });
    expect(after).toMatchObject({ status: 403, body: windowClosed });
  });

  test('does not open a window for a late message (field notes, "Inbound events")', async () => {
    const sandbox = await startTestSandbox();
    const at = new Date(Date.now() - 25 * 60 * 60 * 1000).toISOString();
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello', at });

    const answer = await sandbox.api('/message/v3', aMessage());

    expect(answer).toMatchObject({ status: 403, body: windowClosed });
  });

  test('opens the window for one business number only', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello', chatChannelNumber: OTHER_CHANNEL });

    const other = await sandbox.api('/message/v3', aMessage({ chatChannelNumber: CHANNEL }));
    const same = await sandbox.api('/message/v3', aMessage({ chatChannelNumber: OTHER_CHANNEL }));

    expect(other).toMatchObject({ status: 403, body: windowClosed });
    expect(same).toMatchObject({ status: 200, body: accepted });
  });

  test.each([
    ['+5491155550000', '5491155550000'],
    ['5491155550000', '+5491155550000'],
    ['CO.1000x', 'CO.1000x'],
  ])(
    'treats %s and %s as the same user (field notes: "FROM comes with and without the leading plus")',
    async (from, to) => {
      const sandbox = await startTestSandbox();
      await sandbox.control(`POST ${userPath(from)}/messages`, { text: 'Hello' });

      const answer = await sandbox.api('/message/v3', aMessage({ platformContactId: to }));

      expect(answer).toMatchObject({ status: 200, body: accepted });
    },
  );

  test('returns error 101 with HTTP 403 without credit; each message costs one (contract, "Errors")', async () => {
    const sandbox = await startTestSandbox({ credit: 1 });
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });

    const paid = await sandbox.api('/message/v3', aMessage());
    const unpaid = await sandbox.api('/message/v3', aMessage());
    await sandbox.control('PATCH /account', { credit: 1 });
    const paidAgain = await sandbox.api('/message/v3', aMessage());

    expect(paid).toMatchObject({ status: 200, body: accepted });
    expect(unpaid).toMatchObject({ status: 403, body: { error: { code: 101, message: 'Insufficient credit' } } });
    expect(paidAgain).toMatchObject({ status: 200, body: accepted });
  });

  test('checks the credit before the window (contract, "Send a message")', async () => {
    const sandbox = await startTestSandbox({ credit: 0 });

    const answer = await sandbox.api('/message/v3', aMessage());

    expect(answer.body).toMatchObject({ error: { code: 101 } });
  });

  test('accepts several media kinds in one message (contract: "may be combined")', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    const media = { imageURL: 'https://media.example/menu.png', fileURL: 'https://media.example/menu.pdf' };

    const answer = await sandbox.api('/message/v3', aMessage({ ...media, messageText: undefined }));

    expect(answer).toMatchObject({ status: 200, body: accepted });
    expect((await sandbox.control('GET /outbox')).body).toMatchObject({ messages: [{ content: media }] });
  });

  test.each([
    ['audioURL', 'https://media.example/voice.ogg', 'audio'],
    ['imageURL', 'https://media.example/menu.png', 'image'],
    ['fileURL', 'https://media.example/menu.pdf', 'file'],
  ])(
    'sends a media file by URL as %s, with the text as its caption (contract: "used as the caption")',
    async (field, url, kind) => {
      const sandbox = await startTestSandbox();
      await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });

      await sandbox.api('/message/v3', aMessage({ messageText: 'The menu', [field]: url }));

      expect((await sandbox.control(`GET ${userPath(USER)}/conversation`)).body).toMatchObject({
        messages: [{}, { direction: 'out', text: 'The menu', media: [{ kind, url }] }],
      });
    },
  );

  test('keeps the formatting of the text, byte for byte (contract, "Rules of use" 8)', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    const messageText = ' *bold* _italic_ ~struck~ ```code``` \n• één  <b>&amp;</b> 🍽️ ';

    await sandbox.api('/message/v3', aMessage({ messageText }));

    expect((await sandbox.control(`GET ${userPath(USER)}/conversation`)).body).toMatchObject({
      messages: [{}, { text: messageText }],
    });
  });

  test.each(['https://media.example/cat.gif', 'https://media.example/clip.MP4?size=1'])(
    'refuses %s (contract: "Video and GIF are not supported")',
    async (url) => {
      const sandbox = await startTestSandbox();
      await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });

      const answers = await Promise.all([
        sandbox.api('/message/v3', aMessage({ imageURL: url })),
        sandbox.api('/message/v3', aMessage({ fileURL: url })),
      ]);

      for (const answer of answers) expect(answer).toMatchObject({ status: 400, body: { error: { code: 701 } } });
    },
  );

  test.each([{ chatChannelNumber: '+10000000' }, { chatPlatform: 'another' }])(
    'refuses the unknown channel %o with code 304 (field notes) in the error format (contract, "Errors")',
    async (change) => {
      const sandbox = await startTestSandbox();
      await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });

      const answer = await sandbox.api('/message/v3', aMessage(change));

      expect(answer).toMatchObject({
        status: 422,
        body: { error: { code: 304, message: expect.stringMatching(/^Invalid channel: .+\.$/) } },
      });
    },
  );

  test('refuses a message to a user who left the platform', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    await sandbox.control(`PATCH ${userPath(USER)}`, { onPlatform: false });

    const answer = await sandbox.api('/message/v3', aMessage());

    expect(answer).toMatchObject({ status: 422, body: { error: { code: 202 } } });
  });
});
