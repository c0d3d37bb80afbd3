import { z } from 'zod';
import { awsEndpoint } from './aws-endpoint.ts';
import { createSignedFetch, type Signer } from './signed-fetch.ts';

/** How many function executions can run concurrently in the account and region. */
export interface Concurrency {
  readonly limit: number;
  /** The concurrency that functions without reserved concurrency share. */
  readonly unreserved: number;
}

/** The limit above which an API answers 429. */
export interface ApiThrottle {
  readonly requestsPerSecond: number;
  readonly burst: number;
}

const accountSettings = z.object({
  AccountLimit: z.object({ ConcurrentExecutions: z.number(), UnreservedConcurrentExecutions: z.number() }),
});

/** Source: https://docs.aws.amazon.com/lambda/latest/api/API_GetAccountSettings.html */
export const readConcurrency = async (signer: Signer): Promise<Concurrency> => {
  const url = awsEndpoint('lambda', 'AWS_ENDPOINT_URL_LAMBDA', signer.region);
  const { AccountLimit } = accountSettings.parse(
    await get('lambda', new URL('/2016-08-19/account-settings', url), signer),
  );
  return { limit: AccountLimit.ConcurrentExecutions, unreserved: AccountLimit.UnreservedConcurrentExecutions };
};

const stage = z.object({
  defaultRouteSettings: z
    .object({ throttlingRateLimit: z.number().optional(), throttlingBurstLimit: z.number().optional() })
    .default({}),
});

/**
 * Returns the limit of an API's stage `$default`, or undefined if only the account's limit applies.
 *
 * Source: https://docs.aws.amazon.com/apigatewayv2/latest/api-reference/apis-apiid-stages-stagename.html
 */
export const readApiThrottle = async (apiId: string, signer: Signer): Promise<ApiThrottle | undefined> => {
  const url = awsEndpoint('apigateway', 'AWS_ENDPOINT_URL_APIGATEWAYV2', signer.region);
  const path = `/v2/apis/${encodeURIComponent(apiId)}/stages/$default`;
  const { defaultRouteSettings } = stage.parse(await get('apigateway', new URL(path, url), signer));
  const { throttlingRateLimit: requestsPerSecond, throttlingBurstLimit: burst } = defaultRouteSettings;
  return requestsPerSecond === undefined || burst === undefined ? undefined : { requestsPerSecond, burst };
};

const limits = z.object({ throttlingRateLimit: z.number().optional(), throttlingBurstLimit: z.number().optional() });
const restStage = z.object({ methodSettings: z.record(z.string(), limits).default({}) });

/**
 * Returns the limit of a REST API's stage `live`, or undefined if only the account's limit applies.
 *
 * Source: https://docs.aws.amazon.com/apigateway/latest/api/API_GetStage.html
 */
export const readRestApiThrottle = async (apiId: string, signer: Signer): Promise<ApiThrottle | undefined> => {
  const url = awsEndpoint('apigateway', 'AWS_ENDPOINT_URL_API_GATEWAY', signer.region);
  const path = `/restapis/${encodeURIComponent(apiId)}/stages/live`;
  const { methodSettings } = restStage.parse(await get('apigateway', new URL(path, url), signer));
  const { throttlingRateLimit: requestsPerSecond, throttlingBurstLimit: burst } = methodSettings['*/*'] ?? {};
  return requestsPerSecond === undefined || burst === undefined ? undefined : { requestsPerSecond, burst };
};

const errorBody = z.object({ Message: z.string().optional(), message: z.string().optional() });

const get = async (service: string, url: URL, { region, credentials }: Signer): Promise<unknown> => {
  const response = await createSignedFetch({ service, region, credentials }, 10_000)('GET', url);
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body;
  const { data } = errorBody.safeParse(body);
  throw new Error(data?.Message ?? data?.message ?? `${url.hostname} returned ${response.status}`);
};
