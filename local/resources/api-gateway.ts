import { createHash } from 'node:crypto';
import { z } from 'zod';
import { LocalError } from '../base/local-error.ts';
import type { HttpApi } from '../http-api/http-api.ts';
import { type CloudServices, type DeclaredResource, defineResourceType, placeOf } from './resource-type.ts';

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigatewayv2-api.html */
export const api = defineResourceType({
  supports: z.strictObject({
    Name: z.string(),
    ProtocolType: z.literal('HTTP', 'only HTTP APIs are supported'),
  }),
  withoutEffect: {
    Description: 'nothing reads it',
    Tags: 'nothing reads them',
  },
  async create({ Name }, { logicalId }, cloud) {
    const apiId = createHash('sha256').update(cloud.physicalName(logicalId)).digest('hex').slice(0, 10);
    const { url } = await cloud.openHttpApi(apiId, { logicalId, name: Name });
    return { ref: apiId, attributes: { ApiId: apiId, ApiEndpoint: url } };
  },
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigatewayv2-stage.html */
export const stage = defineResourceType({
  supports: z.strictObject({
    ApiId: z.string(),
    StageName: z.literal('$default', 'only the stage $default is supported'),
    AutoDeploy: z.literal(true, 'only automatic deployment is supported'),
    StageVariables: z.record(z.string(), z.string()).optional(),
    DefaultRouteSettings: z
      .strictObject({
        ThrottlingRateLimit: z.number().positive().optional(),
        ThrottlingBurstLimit: z.int().positive().optional(),
      })
      .default({}),
  }),
  withoutEffect: {
    AccessLogSettings: 'the API does not log requests',
    Description: 'nothing reads it',
    Tags: 'nothing reads them',
  },
  create({ ApiId, StageName, StageVariables, DefaultRouteSettings }, resource, cloud) {
    const { ThrottlingRateLimit: requestsPerSecond, ThrottlingBurstLimit: burst } = DefaultRouteSettings;
    apiOf(ApiId, resource, cloud).addStage({
      name: StageName,
      variables: StageVariables,
      throttle: requestsPerSecond !== undefined && burst !== undefined ? { requestsPerSecond, burst } : undefined,
    });
    return { ref: StageName, attributes: {} };
  },
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigatewayv2-integration.html */
export const integration = defineResourceType({
  supports: z.strictObject({
    ApiId: z.string(),
    IntegrationType: z.literal('AWS_PROXY', 'only Lambda functions are supported'),
    IntegrationUri: z.string(),
    PayloadFormatVersion: z.literal('2.0', 'only payload format 2.0 is supported'),
    TimeoutInMillis: z.int().min(50).max(30_000).default(30_000),
  }),
  withoutEffect: {
    Description: 'nothing reads it',
    IntegrationMethod: 'a function is invoked the same way for every method',
  },
  create({ ApiId, IntegrationUri, TimeoutInMillis }, resource, cloud) {
    const id = cloud.physicalName(resource.logicalId);
    // The URI is the function's ARN, alone or in the form that REST APIs require.
    const functionArn = IntegrationUri.replace(/^arn:aws:apigateway:.*\/functions\//, '').replace(/\/invocations$/, '');
    apiOf(ApiId, resource, cloud).addIntegration(id, { functionArn, timeoutMs: TimeoutInMillis });
    return { ref: id, attributes: { IntegrationId: id } };
  },
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigatewayv2-route.html */
export const route = defineResourceType({
  supports: z.strictObject({
    ApiId: z.string(),
    RouteKey: z.string(),
    Target: z.string().startsWith('integrations/', 'the target must be an integration'),
    AuthorizationType: z.enum(['NONE', 'AWS_IAM'], 'only NONE and AWS_IAM are supported').optional(),
  }),
  withoutEffect: { OperationName: 'nothing reads it' },
  create({ ApiId, RouteKey, Target, AuthorizationType }, resource, cloud) {
    apiOf(ApiId, resource, cloud).addRoute(RouteKey, Target.slice('integrations/'.length), AuthorizationType);
    const id = cloud.physicalName(resource.logicalId);
    return { ref: id, attributes: { RouteId: id } };
  },
});

const apiOf = (apiId: string, resource: DeclaredResource, cloud: CloudServices): HttpApi => {
  const found = cloud.httpApi(apiId);
  if (found) return found;
  throw new LocalError(`${placeOf(resource)}: ApiId is ${apiId}, which is not an API of this stack.`);
};
