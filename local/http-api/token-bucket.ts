/** A stage's limit: the rate at which tokens are added to its bucket, and the size of the bucket. */
export interface Throttle {
  readonly requestsPerSecond: number;
  readonly burst: number;
}

/** A bucket from which each request takes a token. */
export interface TokenBucket {
  /** Takes a token. Returns false if there is none. */
  take(now: Date): boolean;
}

/**
 * Creates a full bucket of tokens, as API Gateway uses to throttle. API Gateway may exceed its limit a little; this
 * bucket does not.
 *
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-throttling.html
 */
export const createTokenBucket = ({ requestsPerSecond, burst }: Throttle, createdAt: Date): TokenBucket => {
  let tokens = burst;
  let filledAt = createdAt.getTime();
  return {
    take(now) {
      const seconds = Math.max(0, now.getTime() - filledAt) / 1000;
      tokens = Math.min(burst, tokens + seconds * requestsPerSecond);
      filledAt = Math.max(filledAt, now.getTime());
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
};
