import { describe, expect, test } from 'vitest';
import { CHANNEL, startTestSandbox, USER, userPath } from '../../support/running-sandbox.ts';

const CHECK = '/customer/checkChatContact';

describe('POST /api/v1.0/customer/checkChatContact', () => {
  test('returns each number on the platform with its proper digits (field notes, "The API\'s answers")', async () => {
    const sandbox = await startTestSandbox();

    const answer = await sandbox.api(CHECK, { chatChannelNumber: CHANNEL, contacts: [USER, '+55 (11) 98888-7777'] });

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      problems: null,
      result: { [USER]: '5491155550000', '+55 (11) 98888-7777': '5511988887777' },
    });
  });

  test('omits numbers that are not on the platform (field notes, "The API\'s answers")', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`PATCH ${userPath(USER)}`, { onPlatform: false });

    const answer = await sandbox.api(CHECK, { chatChannelNumber: CHANNEL, contacts: [USER, '12', 'CO.1000x'] });

    expect(answer.body).toEqual({ problems: null, result: {} });
  });

  test('lists the valid business numbers for an unknown one, with HTTP 200', async () => {
    const sandbox = await startTestSandbox();

    const answer = await sandbox.api(CHECK, { chatChannelNumber: '+10000000', contacts: [USER] });

    expect(answer).toMatchObject({
      status: 200,
      body: {
        problems: { code: 304, message: 'Invalid channel. Valid channels are [5491100000000, 551130000000]' },
        result: {},
      },
    });
  });

  test.each(['/customer/checkWhatsAppContact', '/customer/checkWebchatContact'])(
    'is also at %s, since the segment carries the name of the platform',
    async (path) => {
      const sandbox = await startTestSandbox();

      const answer = await sandbox.api(path, { chatChannelNumber: '5491100000000', contacts: ['+54 9 11 5555-0000'] });

      expect(answer.body).toEqual({ problems: null, result: { '+54 9 11 5555-0000': '5491155550000' } });
      expect((await sandbox.api('/customer/checkContact', {})).status).toBe(404);
    },
  );

  test('is also at the path that a stage sets', async () => {
    const sandbox = await startTestSandbox({ contactCheckPath: 'contacts/valid' });
    const request = { chatChannelNumber: CHANNEL, contacts: [] };

    const answers = [await sandbox.api('/contacts/valid', request), await sandbox.api(CHECK, request)];

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  test('has the same faults at every path', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control('POST /faults', { answers: { endpoint: 'customer/checkChatContact', status: 503 } });

    expect((await sandbox.api('/customer/checkWhatsAppContact', {})).status).toBe(503);
  });
});
