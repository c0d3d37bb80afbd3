import { describe, expect, test } from 'vitest';
import { aMessage, CHANNEL, OTHER_CHANNEL, startTestSandbox, USER, userPath } from '../../support/running-sandbox.ts';

describe('a click-to-chat link', () => {
  test('carries the business number and a text for the user to send (contract, "Rules of use" 2)', async () => {
    const sandbox = await startTestSandbox();

    const made = await sandbox.control('POST /links', {
      chatChannelNumber: OTHER_CHANNEL,
      text: 'I’d like a table & chairs',
    });
    const { url } = Object(made.body);
    const opened = await sandbox.control('POST /links/open', { url });
    const { text, chatChannelNumber } = Object(opened.body);
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text, chatChannelNumber });
    const answer = await sandbox.api('/message/v3', aMessage({ chatChannelNumber: OTHER_CHANNEL }));

    expect(made).toMatchObject({ status: 201, body: { chatChannelNumber: OTHER_CHANNEL } });
    expect(url).toBe(`${sandbox.url}/chat/551130000000?text=I%E2%80%99d+like+a+table+%26+chairs`);
    expect(opened.body).toEqual({ chatChannelNumber: OTHER_CHANNEL, text: 'I’d like a table & chairs' });
    expect(answer).toMatchObject({ status: 200 });
  });

  test('opens the console with both filled in', async () => {
    const sandbox = await startTestSandbox();
    const { url } = Object((await sandbox.control('POST /links', { text: 'Hi' })).body);

    const answer = await fetch(url, { redirect: 'manual' });

    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe(`/?chatChannelNumber=${encodeURIComponent(CHANNEL)}&text=Hi`);
  });

  test('is invalid for any other number', async () => {
    const sandbox = await startTestSandbox();

    const answers = await Promise.all([
      sandbox.control('POST /links', { chatChannelNumber: '+10000000' }),
      sandbox.control('POST /links/open', { url: `${sandbox.url}/chat/10000000` }),
      sandbox.control('POST /links/open', { url: 'no address' }),
      sandbox.control('GET /../chat/10000000'),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 404]);
    for (const { body } of answers) expect(body).toMatchObject({ error: { code: expect.any(Number) } });
  });
});
