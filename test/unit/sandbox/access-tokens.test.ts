import { describe, expect, test } from 'vitest';
import { aMessage, startTestSandbox, TOKEN, USER, userPath } from '../../support/running-sandbox.ts';

const OK = 200;

const startWithWindow = async () => {
  const sandbox = await startTestSandbox({ accessTokens: [TOKEN, 'second-token'] });
  await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
  const statusWith = async (token: string) =>
    (await sandbox.api('/message/v3', aMessage(), { 'access-token': token })).status;
  return { sandbox, statusWith };
};

describe('access tokens', () => {
  test('several can be valid at the same time (contract, "Authentication" 1)', async () => {
    const { statusWith } = await startWithWindow();

    expect([await statusWith(TOKEN), await statusWith('second-token'), await statusWith('third')]).toEqual([
      OK,
      OK,
      401,
    ]);
  });

  test('can be generated or reused (contract, "Authentication" 2)', async () => {
    const { sandbox, statusWith } = await startWithWindow();

    const issued = await sandbox.control('POST /access-tokens', {});
    const { accessTokens } = Object((await sandbox.control('GET /access-tokens')).body);

    const { accessToken } = Object(issued.body);
    expect(issued).toMatchObject({ status: 201, body: { valid: true, expiresAt: null, revokedAt: null } });
    expect(accessTokens.map((token: { accessToken: string }) => token.accessToken)).toEqual([
      TOKEN,
      'second-token',
      accessToken,
    ]);
    expect(await statusWith(accessToken)).toBe(OK);
  });

  test('return 401 once revoked, while the others stay valid', async () => {
    const { sandbox, statusWith } = await startWithWindow();

    const revoked = await sandbox.control(`DELETE /access-tokens/${TOKEN}`);

    expect(revoked).toMatchObject({ status: 200, body: { valid: false, revokedAt: expect.any(String) } });
    expect([await statusWith(TOKEN), await statusWith('second-token')]).toEqual([401, OK]);
    expect(await sandbox.control('DELETE /access-tokens/unknown')).toMatchObject({ status: 404 });
  });

  test("return 401 once expired on the service's clock", async () => {
    const { sandbox, statusWith } = await startWithWindow();
    await sandbox.control('POST /access-tokens', { accessToken: 'short-lived', expiresInSeconds: 60 });

    const before = await statusWith('short-lived');
    await sandbox.control('POST /clock', { advanceSeconds: 60 });

    expect([before, await statusWith('short-lived'), await statusWith(TOKEN)]).toEqual([OK, 401, OK]);
  });

  test('can be JSON Web Tokens, which hold their expiry', async () => {
    const { sandbox, statusWith } = await startWithWindow();

    const issued = await sandbox.control('POST /access-tokens', { jwt: true, expiresInSeconds: 60 });

    const { accessToken, expiresAt } = Object(issued.body);
    const [header, claims] = accessToken.split('.').map((part: string) => Buffer.from(part, 'base64url').toString());
    expect(JSON.parse(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(JSON.parse(claims).exp).toBe(Math.floor(Date.parse(expiresAt) / 1000));
    expect(await statusWith(accessToken)).toBe(OK);
    await sandbox.control('POST /clock', { advanceSeconds: 60 });
    expect(await statusWith(accessToken)).toBe(401);
    expect((await sandbox.control('POST /access-tokens', { accessToken, jwt: true })).status).toBe(400);
  });
});
