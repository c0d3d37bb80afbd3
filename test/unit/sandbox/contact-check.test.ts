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

  test('refuses an unknown business number in the error format (contract, "Errors")', async () => {
    const sandbox = await startTestSandbox();

    const answer = await sandbox.api(CHECK, { chatChannelNumber: '+10000000', contacts: [USER] });

    expect(answer).toMatchObject({ status: 422, body: { error: { code: 304 } } });
  });
});
