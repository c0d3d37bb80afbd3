import { accessTokenExpiry, expiresSoon } from '../domain/access-token.ts';
import type { AccessToken, Clock, Log, Metrics } from '../ports.ts';

export interface CheckTokenExpiryOptions {
  readonly accessToken: Pick<AccessToken, 'read'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Creates the function that counts an access token that expires soon, for an alarm. It never fails. */
export const createCheckTokenExpiry =
  ({ accessToken, clock, log, metrics }: CheckTokenExpiryOptions) =>
  async (): Promise<void> => {
    try {
      const expiresAt = accessTokenExpiry(await accessToken.read());
      if (expiresAt === undefined || !expiresSoon(expiresAt, clock.now())) return;
      metrics.count('AccessTokenExpiring');
      log.warn('access token expires soon', { expiresAt });
    } catch (error) {
      log.error('access token not read', { error });
    }
  };
