import type { Change, Moment, ServiceState } from './state.ts';

/** A credential of the API. Lifetime, expiry and revocation are not shown in the contract: here each is at will. */
export type AccessToken = {
  readonly accessToken: string;
  readonly issuedAt: Date;
  /** Absent: it does not expire. */
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
};

export const isValidToken = ({ expiresAt, revokedAt }: AccessToken, now: Date): boolean =>
  revokedAt === undefined && (expiresAt === undefined || now < expiresAt);

/** A token beside those that are there (contract, "Authentication" 2: "generate a token"); a known text is issued anew. */
export const issueToken = (
  state: ServiceState,
  { accessToken, expiresInSeconds }: { accessToken?: string; expiresInSeconds?: number },
  { now, newId }: Moment,
): Change<AccessToken> => {
  const token: AccessToken = {
    accessToken: accessToken ?? newId().replaceAll('-', ''),
    issuedAt: now,
    expiresAt: expiresInSeconds === undefined ? undefined : new Date(now.getTime() + expiresInSeconds * 1000),
  };
  state.accessTokens.set(token.accessToken, token);
  return { result: token, events: [] };
};

/** The token is refused from now on; undefined when there is none of that text. */
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

/** From now on these are valid and no others: what a replacement by hand in the contract's console comes to. */
export const replaceTokens = (
  state: ServiceState,
  accessTokens: readonly string[],
  moment: Moment,
): Change<readonly AccessToken[]> => {
  for (const accessToken of state.accessTokens.keys()) revokeToken(state, accessToken, moment);
  const valid = accessTokens.map((accessToken) => issueToken(state, { accessToken }, moment).result);
  return { result: valid, events: [] };
};
