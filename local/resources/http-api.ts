import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { HttpApi } from '../http-api/http-api.ts';
import { LocalError } from '../local-error.ts';
import type { CloudServices } from './cloud-services.ts';
import { type DeclaredResource, defineResourceType } from './resource-type.ts';

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigatewayv2-api.html */
export const api = defineResourceType({
  actsUpon: z.strictObject({
    Name: z.string(),
    ProtocolType: z.literal('HTTP', 'only HTTP APIs are known'),
    DisableExecuteApiEndpoint: z.literal(false, 'the API has no other address here').optional(),
  }),
  withoutEffect: {
    Description: 'nothing reads it',
    IpAddressType: 'the local API listens on the loopback interface',
    Tags: 'nothing reads them',
  },
  async create({ Name }, { logicalId }, cloud) {
    const apiId = createHash('sha256').update(cloud.physicalName(logicalId)).digest('hex').slice(0, 10);
    const opened = await cloud.openHttpApi(apiId, Name);
    return { ref: apiId, attributes: { ApiId: apiId, ApiEndpoint: opened.url } };
  },
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigatewayv2-stage.html */
export const stage = defineResourceType({
  actsUpon: z.strictObject({
    ApiId: z.string(),
    StageName: z.literal('$default', 'only the stage $default is known'),
    AutoDeploy: z.literal(true, 'only a stage that deploys itself is known'),
    StageVariables: z.record(z.string(), z.string()).optional(),
  }),
  withoutEffect: {
    AccessLogSettings: 'requests are not logged here, the functions log theirs',
    DefaultRouteSettings: 'nothing is throttled or measured here',
    Description: 'nothing reads it',
    RouteSettings: 'nothing is throttled or measured here',
    Tags: 'nothing reads them',
  },
  create({ ApiId, StageName, StageVariables }, resource, cloud) {
    apiOf(ApiId, resource, cloud).addStage({ name: StageName, variables: StageVariables });
    return { ref: StageName, attributes: {} };
  },
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigatewayv2-integration.html */
export const integration = defineResourceType({
  actsUpon: z.strictObject({
    ApiId: z.string(),
    IntegrationType: z.literal('AWS_PROXY', 'only functions are known as integrations'),
    IntegrationUri: z.string(),
    PayloadFormatVersion: z.literal('2.0', 'only payload format 2.0 is known'),
    TimeoutInMillis: z.int().min(50).max(30_000).default(30_000),
  }),
  withoutEffect: {
    Description: 'nothing reads it',
    IntegrationMethod: 'a function is invoked with the same event whatever the method',
  },
  create({ ApiId, IntegrationUri, TimeoutInMillis }, resource, cloud) {
    const id = cloud.physicalName(resource.logicalId);
    // The address is the function's ARN, alone or wrapped in the form that REST APIs ask for.
    const functionArn = IntegrationUri.replace(/^arn:aws:apigateway:.*\/functions\//, '').replace(/\/invocations$/, '');
    apiOf(ApiId, resource, cloud).addIntegration(id, { functionArn, timeoutMs: TimeoutInMillis });
    return { ref: id, attributes: { IntegrationId: id } };
  },
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigatewayv2-route.html */
export const route = defineResourceType({
  actsUpon: z.strictObject({
    ApiId: z.string(),
    RouteKey: z.string(),
    Target: z.string().startsWith('integrations/', 'a route leads to an integration'),
    AuthorizationType: z
      .enum(['NONE', 'AWS_IAM'], 'only routes without an authorizer or with IAM are known')
      .optional(),
  }),
  withoutEffect: { OperationName: 'nothing reads it' },
  create({ ApiId, RouteKey, Target, AuthorizationType }, resource, cloud) {
    apiOf(ApiId, resource, cloud).addRoute(RouteKey, Target.slice('integrations/'.length), AuthorizationType);
    const id = cloud.physicalName(resource.logicalId);
    return { ref: id, attributes: { RouteId: id } };
  },
});

const apiOf = (apiId: string, { logicalId, type }: DeclaredResource, cloud: CloudServices): HttpApi => {
  const found = cloud.httpApi(apiId);
  if (found) return found;
  throw new LocalError(`${logicalId} (${type}): ApiId names ${apiId}, which is no API of this run.`);
};
