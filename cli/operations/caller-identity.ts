import { awsEndpoint } from './aws-endpoint.ts';
import { createSignedFetch, type Signer } from './signed-fetch.ts';

/** Whom AWS credentials belong to. */
export interface CallerIdentity {
  readonly account: string;
  /** The user, or the role and its session. */
  readonly arn: string;
}

const TIMEOUT_MS = 10_000;

/**
 * Returns whom credentials belong to, which needs no permission.
 *
 * Source: https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
 *
 * @throws Error if AWS rejects them
 */
export const readCaller = async ({ region, credentials }: Signer): Promise<CallerIdentity> => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  const body = 'Action=GetCallerIdentity&Version=2011-06-15';
  const answer = await createSignedFetch({ service: 'sts', region, credentials }, TIMEOUT_MS)(
    'POST',
    new URL(awsEndpoint('sts', 'AWS_ENDPOINT_URL_STS', region)),
    body,
    headers,
  );
  const text = await answer.text();
  const [, account] = /<Account>(\d{12})<\/Account>/.exec(text) ?? [];
  const [, arn] = /<Arn>([^<]+)<\/Arn>/.exec(text) ?? [];
  if (account !== undefined && arn !== undefined) return { account, arn };
  throw new Error(`AWS rejected the credentials: STS returned ${answer.status}. Sign in again.`);
};
