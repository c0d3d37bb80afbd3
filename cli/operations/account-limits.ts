import { z } from 'zod';
import { awsEndpoint } from './aws-endpoint.ts';
import { type AwsApi, getFromAws } from './call-aws.ts';
import type { Signer } from './signed-fetch.ts';

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

const apiOf = (service: string, variable: string, { region, credentials }: Signer): AwsApi => ({
  service,
  url: awsEndpoint(service, variable, region),
  region,
  credentials,
});

/** Source: https://docs.aws.amazon.com/lambda/latest/api/API_GetAccountSettings.html */
export const readConcurrency = async (signer: Signer): Promise<Concurrency> => {
  const lambda = apiOf('lambda', 'AWS_ENDPOINT_URL_LAMBDA', signer);
  const { AccountLimit } = accountSettings.parse(await getFromAws(lambda, '/2016-08-19/account-settings'));
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
  const apiGateway = apiOf('apigateway', 'AWS_ENDPOINT_URL_APIGATEWAYV2', signer);
  const path = `/v2/apis/${encodeURIComponent(apiId)}/stages/$default`;
  const { defaultRouteSettings } = stage.parse(await getFromAws(apiGateway, path));
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
  const apiGateway = apiOf('apigateway', 'AWS_ENDPOINT_URL_API_GATEWAY', signer);
  const path = `/restapis/${encodeURIComponent(apiId)}/stages/live`;
  const { methodSettings } = restStage.parse(await getFromAws(apiGateway, path));
  const { throttlingRateLimit: requestsPerSecond, throttlingBurstLimit: burst } = methodSettings['*/*'] ?? {};
  return requestsPerSecond === undefined || burst === undefined ? undefined : { requestsPerSecond, burst };
};
