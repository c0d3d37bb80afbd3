import type { AccessToken, Account } from './model.ts';
import { ACCOUNT_KEY, type Change, type Moment, type ServiceState } from './state.ts';

/** Returns the account, which every state has. */
export const getAccount = (state: ServiceState): Account => {
  const account = state.account.get(ACCOUNT_KEY);
  if (account === undefined) throw new Error('The state has no account.');
  return account;
};

export const changeAccount = (state: ServiceState, settings: Partial<Account>): Change<Account> => {
  const account = { ...getAccount(state), ...settings };
  state.account.set(ACCOUNT_KEY, account);
  return { result: account, events: [] };
};

export const isValidToken = ({ expiresAt, revokedAt }: AccessToken, now: Date): boolean =>
  revokedAt === undefined && (expiresAt === undefined || now < expiresAt);

/**
 * Issues an access token; the other tokens stay valid (contract, "Authentication" 2: "generate a token"). Issuing a
 * known token again renews it.
 */
export const issueToken = (
  state: ServiceState,
  { accessToken, expiresInSeconds, jwt = false }: { accessToken?: string; expiresInSeconds?: number; jwt?: boolean },
  { now, newId }: Moment,
): Change<AccessToken> => {
  const expiresAt = expiresInSeconds === undefined ? undefined : new Date(now.getTime() + expiresInSeconds * 1000);
  const generated = jwt ? jsonWebToken({ jti: newId(), iat: now, exp: expiresAt }, newId()) : newId();
  const token: AccessToken = { accessToken: accessToken ?? generated, issuedAt: now, expiresAt };
  state.accessTokens.set(token.accessToken, token);
  return { result: token, events: [] };
};

/**
 * Returns a JSON Web Token like those of real services, whose expiry can be read. Its signature is random: the service
 * looks the token up.
 */
const jsonWebToken = ({ jti, iat, exp }: { jti: string; iat: Date; exp: Date | undefined }, signature: string) => {
  const seconds = (at: Date) => Math.floor(at.getTime() / 1000);
  const claims = { jti, iat: seconds(iat), ...(exp && { exp: seconds(exp) }) };
  return [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat(Buffer.from(signature).toString('base64url'))
    .join('.');
};

/** Revokes an access token. The result is undefined for an unknown token. */
export const revokeToken = (
  state: ServiceState,
  accessToken: string,
  { now }: Moment,
): Change<AccessToken | undefined> => {
  const token = state.accessTokens.get(accessToken);
  if (token === undefined) return { result: undefined, events: [] };
  const revoked = { ...token, revokedAt: token.revokedAt ?? now };
  state.accessTokens.set(accessToken, revoked);
  return { result: revoked, events: [] };
};

/** Makes these the only valid tokens, as when someone replaces the token by hand in the contract's console. */
export const replaceTokens = (
  state: ServiceState,
  accessTokens: readonly string[],
  moment: Moment,
): Change<readonly AccessToken[]> => {
  for (const accessToken of state.accessTokens.keys()) revokeToken(state, accessToken, moment);
  const valid = accessTokens.map((accessToken) => issueToken(state, { accessToken }, moment).result);
  return { result: valid, events: [] };
};
