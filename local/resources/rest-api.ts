import { createHash } from 'node:crypto';
import { z } from 'zod';
import { LocalError } from '../base/local-error.ts';
import { compileMappingTemplate } from '../rest-api/mapping-template.ts';
import type { RestApi } from '../rest-api/rest-api.ts';
import { callSqs } from '../rest-api/sqs-action.ts';
import { type CloudServices, type DeclaredResource, defineResourceType, ignored, placeOf } from './resource-type.ts';

// REST APIs of one shape: methods without authorization put what a mapping template renders on a queue.

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-restapi.html */
export const restApi = defineResourceType({
  supports: z.strictObject({
    Name: z.string(),
    BinaryMediaTypes: z.tuple([z.literal('*/*', 'only APIs that treat every body as binary are supported')]),
    EndpointConfiguration: z.strictObject({
      Types: z.tuple([z.literal('REGIONAL', 'only regional APIs are supported')]),
    }),
  }),
  withoutEffect: {
    Description: 'nothing reads it',
    DisableExecuteApiEndpoint: 'the API has only its local URL',
    Tags: 'nothing reads them',
  },
  async create({ Name }, { logicalId }, cloud) {
    const apiId = createHash('sha256').update(cloud.physicalName(logicalId)).digest('hex').slice(0, 10);
    await cloud.openRestApi(apiId, { logicalId, name: Name });
    return { ref: apiId, attributes: { RestApiId: apiId, RootResourceId: '/' } };
  },
});

/**
 * A resource's id is its path, from which methods and further resources get theirs.
 *
 * Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-resource.html
 */
export const restResource = defineResourceType({
  supports: z.strictObject({
    RestApiId: z.string(),
    ParentId: z.string().startsWith('/', 'the parent must be a resource of the stack'),
    PathPart: z.string().regex(/^([A-Za-z0-9._-]+|\{[A-Za-z0-9._-]+\})$/, 'greedy path variables are not supported'),
  }),
  withoutEffect: {},
  create({ ParentId, PathPart }) {
    const path = `${ParentId === '/' ? '' : ParentId}/${PathPart}`;
    return { ref: path, attributes: { ResourceId: path } };
  },
});

const FORM = "'application/x-www-form-urlencoded'";
const contentHandling = z.literal('CONVERT_TO_TEXT', 'only CONVERT_TO_TEXT is supported');

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-method.html */
export const restMethod = defineResourceType({
  supports: z.strictObject({
    RestApiId: z.string(),
    ResourceId: z.string().startsWith('/', 'the resource must be one of the stack'),
    HttpMethod: z.literal('POST', 'only POST is supported'),
    AuthorizationType: z.literal('NONE', 'only methods without authorization are supported'),
    Integration: z.strictObject({
      Type: z.literal('AWS', 'only integrations with AWS services are supported'),
      IntegrationHttpMethod: z.literal('POST', 'SQS is called with POST'),
      Uri: z.string(),
      ContentHandling: contentHandling,
      PassthroughBehavior: z.literal('NEVER', 'without a mapping template, the client would write the call of SQS'),
      RequestParameters: z.strictObject({
        'integration.request.header.Content-Type': z.literal(FORM, `only ${FORM} is supported`),
      }),
      RequestTemplates: z.record(z.string(), z.string()),
      IntegrationResponses: z.array(
        z.strictObject({
          StatusCode: z.string().regex(/^\d{3}$/),
          SelectionPattern: z.string().optional(),
          ContentHandling: contentHandling,
          ResponseTemplates: z.strictObject({ 'application/json': z.string() }),
        }),
      ),
      TimeoutInMillis: z.int().min(50).max(29_000).default(29_000),
      // The local run does not enforce permissions.
      Credentials: ignored,
    }),
    MethodResponses: z.array(z.strictObject({ StatusCode: z.string() })),
  }),
  withoutEffect: { OperationName: 'nothing reads it' },
  create({ RestApiId, ResourceId, HttpMethod, Integration, MethodResponses }, resource, cloud) {
    const place = placeOf(resource);
    const queueUrl = queueUrlIn(Integration.Uri, place, cloud);
    const declared = MethodResponses.map(({ StatusCode }) => StatusCode);
    const responses = Integration.IntegrationResponses.map(({ StatusCode, SelectionPattern, ResponseTemplates }) => {
      if (!declared.includes(StatusCode)) {
        throw new LocalError(`${place}: the method has no response ${StatusCode}, so API Gateway would answer 500.`);
      }
      return {
        status: Number(StatusCode),
        pattern: SelectionPattern === undefined ? undefined : new RegExp(`^(?:${SelectionPattern})$`),
        template: compileMappingTemplate(ResponseTemplates['application/json'], `${place}.IntegrationResponses`),
      };
    });
    apiOf(RestApiId, resource, cloud).addMethod({
      routeKey: `${HttpMethod} ${ResourceId}`,
      requestTemplates: new Map(
        Object.entries(Integration.RequestTemplates).map(([type, template]) => [
          type,
          compileMappingTemplate(template, `${place}.RequestTemplates`),
        ]),
      ),
      call: (form) => callSqs(cloud.sqs, queueUrl, form),
      responses,
      timeoutMs: Integration.TimeoutInMillis,
    });
    return { ref: cloud.physicalName(resource.logicalId), attributes: {} };
  },
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-deployment.html */
export const restDeployment = defineResourceType({
  supports: z.strictObject({ RestApiId: z.string() }),
  withoutEffect: { Description: 'nothing reads it' },
  create(_properties, { logicalId }, cloud) {
    const id = cloud.physicalName(logicalId);
    return { ref: id, attributes: { DeploymentId: id } };
  },
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-stage.html */
export const restStage = defineResourceType({
  supports: z.strictObject({
    RestApiId: z.string(),
    DeploymentId: z.string(),
    StageName: z.string().regex(/^[A-Za-z0-9_-]+$/),
    MethodSettings: z
      .tuple([
        z.strictObject({
          HttpMethod: z.literal('*', 'only settings of all methods are supported'),
          ResourcePath: z.literal('/*', 'only settings of all resources are supported'),
          ThrottlingRateLimit: z.number().positive().optional(),
          ThrottlingBurstLimit: z.int().positive().optional(),
          MetricsEnabled: z.boolean().default(false),
          // Nothing is logged.
          DataTraceEnabled: ignored,
        }),
      ])
      .optional(),
  }),
  withoutEffect: { Description: 'nothing reads it', Tags: 'nothing reads them' },
  create({ RestApiId, StageName, MethodSettings }, resource, cloud) {
    const [{ ThrottlingRateLimit, ThrottlingBurstLimit, MetricsEnabled = false } = {}] = MethodSettings ?? [];
    const isThrottled = ThrottlingRateLimit !== undefined && ThrottlingBurstLimit !== undefined;
    apiOf(RestApiId, resource, cloud).addStage({
      name: StageName,
      throttle: isThrottled ? { requestsPerSecond: ThrottlingRateLimit, burst: ThrottlingBurstLimit } : undefined,
      hasDetailedMetrics: MetricsEnabled,
    });
    return { ref: StageName, attributes: {} };
  },
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-gatewayresponse.html */
export const gatewayResponse = defineResourceType({
  supports: z.strictObject({
    RestApiId: z.string(),
    ResponseType: z.literal('MISSING_AUTHENTICATION_TOKEN', 'only the answer to unknown paths is supported'),
    StatusCode: z.string().regex(/^\d{3}$/),
    ResponseTemplates: z.strictObject({ 'application/json': z.string().regex(/^[^$#]*$/, 'it must be constant') }),
  }),
  withoutEffect: {},
  create({ RestApiId, StatusCode, ResponseTemplates }, resource, cloud) {
    const answer = { status: Number(StatusCode), body: ResponseTemplates['application/json'] };
    apiOf(RestApiId, resource, cloud).setUnknownPath(answer);
    const id = cloud.physicalName(resource.logicalId);
    return { ref: id, attributes: { Id: id } };
  },
});

/** Returns the URL of the queue that an integration calls. */
const queueUrlIn = (uri: string, place: string, { queueBaseUrl }: CloudServices): string => {
  const [, name] = /^arn:aws:apigateway:[a-z0-9-]+:sqs:path\/\d{12}\/([A-Za-z0-9_-]+)$/.exec(uri) ?? [];
  if (name !== undefined) return `${queueBaseUrl}/${name}`;
  throw new LocalError(`${place}: the local run supports only integrations with a queue's path in SQS, not ${uri}.`);
};

const apiOf = (apiId: string, resource: DeclaredResource, cloud: CloudServices): RestApi => {
  const found = cloud.restApi(apiId);
  if (found) return found;
  throw new LocalError(`${placeOf(resource)}: RestApiId is ${apiId}, which is not an API of this stack.`);
};
