import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { compileMappingTemplate } from '../../../../../local/rest-api/mapping-template.ts';
import { type Share, shareDomainName } from '../../shared-resources.ts';
import { logicalIdOf, synthesizedStack } from '../../synthesized-stack.ts';

const METHOD = 'AWS::ApiGateway::Method';
const auth = { kind: 'shared-token', header: 'Auth-BM-Token' };
const buffered = (settings: Readonly<Record<string, unknown>> = {}, share?: Share) =>
  synthesizedStack('prod', { webhook: { auth, ingress: 'buffered' }, ...settings }, { share }).template;
const direct = (share?: Share) => synthesizedStack('prod', { webhook: { auth } }, { share }).template;

const toRole = { Ref: logicalIdOf('ReceiverApiRole') };

describe('A stage with buffered ingress', () => {
  const template = buffered();

  test('has no HTTP API for the webhook, and passes every body to the queue as base64', () => {
    template.resourceCountIs('AWS::ApiGatewayV2::Api', 1);
    template.hasResourceProperties('AWS::ApiGateway::RestApi', {
      BinaryMediaTypes: ['*/*'],
      EndpointConfiguration: { Types: ['REGIONAL'] },
    });
    template.resourcePropertiesCountIs(METHOD, { Integration: { ContentHandling: 'CONVERT_TO_TEXT' } }, 2);
  });

  test('answers a content type without a template itself: its body would be the call of SQS', () => {
    template.allResourcesProperties(METHOD, { Integration: { PassthroughBehavior: 'NEVER' } });
  });

  test('keeps only the headers that verification and tracing need', () => {
    for (const { Properties } of Object.values(template.findResources(METHOD))) {
      for (const text of Object.values(Properties.Integration.RequestTemplates)) {
        const names = [...String(text).matchAll(/\$lower == '([^']+)'/g)].map(([, name]) => name);
        expect(names).toEqual(['auth-bm-token', 'traceparent']);
      }
    }
  });

  test('lets API Gateway do nothing but put messages on the inbound queue', () => {
    template.hasResourceProperties('AWS::IAM::Policy', {
      Roles: [toRole],
      PolicyDocument: {
        Statement: [
          {
            Action: 'sqs:SendMessage',
            Effect: 'Allow',
            Resource: { 'Fn::GetAtt': [logicalIdOf('ReceiverInboundQueue'), 'Arn'] },
          },
        ],
      },
    });
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      Queues: [{ Ref: logicalIdOf('ReceiverInboundQueue') }],
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Action: 'sqs:SendMessage',
            Condition: {
              ArnNotEquals: {
                'aws:PrincipalArn': Match.arrayWith([{ 'Fn::GetAtt': [logicalIdOf('ReceiverApiRole'), 'Arn'] }]),
              },
            },
          }),
        ]),
      },
    });
  });

  test('accepts requests only when the queue and the function are ready for them', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGateway::Stage'));
    const names = (stage?.DependsOn ?? []).map((id: string) => id.replace(/[0-9A-F]{8}$/, ''));
    expect(names).toEqual(
      expect.arrayContaining(['ReceiverApiRoleDefaultPolicy', 'ReceiverFunction', 'ReceiverInboundQueuePolicy']),
    );
  });

  test('raises the alarms of the webhook by the metrics of its own API', () => {
    const dimensions = [
      { Name: 'ApiName', Value: 'Parley-prod-webhook' },
      { Name: 'Stage', Value: { Ref: logicalIdOf('ReceiverApiRestApiDeploymentStagelive') } },
    ];
    for (const MetricName of ['4XXError', '5XXError']) {
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        Namespace: 'AWS/ApiGateway',
        MetricName,
        Dimensions: dimensions,
        Statistic: 'Sum',
      });
    }
  });

  test('raises an alarm with the first post that is refused, and not with what scanners ask for', () => {
    const countOf = (Resource: string) =>
      Match.objectLike({
        MetricStat: Match.objectLike({
          Metric: Match.objectLike({
            MetricName: '4XXError',
            Dimensions: Match.arrayWith([
              { Name: 'Method', Value: 'POST' },
              { Name: 'Resource', Value: Resource },
            ]),
          }),
        }),
      });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmDescription: Match.stringLikeRegexp('oversizedevents$'),
      Threshold: 1,
      Metrics: Match.arrayWith([countOf('/webhook'), countOf('/webhook/{chatChannelNumber}')]),
    });
  });

  test('limits the API as webhook.throttle says', () => {
    const limited = buffered({
      webhook: { auth, ingress: 'buffered', throttle: { requestsPerSecond: 50, burst: 100 } },
    });
    limited.hasResourceProperties('AWS::ApiGateway::Stage', {
      MethodSettings: [
        {
          HttpMethod: '*',
          ResourcePath: '/*',
          ThrottlingRateLimit: 50,
          ThrottlingBurstLimit: 100,
          MetricsEnabled: true,
          DataTraceEnabled: false,
        },
      ],
    });
    template.hasResourceProperties('AWS::ApiGateway::Stage', {
      MethodSettings: [{ ThrottlingRateLimit: Match.absent(), ThrottlingBurstLimit: Match.absent() }],
    });
  });

  test('does not set the role for logging that all APIs of the account share', () => {
    template.resourceCountIs('AWS::ApiGateway::Account', 0);
  });

  test('may use the key of the stage only for the messages that it puts on the queue', () => {
    buffered({ customerManagedKey: true }).hasResourceProperties('AWS::IAM::Policy', {
      Roles: [toRole],
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
            Condition: { StringEquals: Match.objectLike({ 'kms:ViaService': Match.anyValue() }) },
          }),
        ]),
      },
    });
  });
});

describe('A change of the ingress', () => {
  test('keeps the domain name, the logical ID of its mapping, and the URL', () => {
    const [before, after] = [direct(shareDomainName), buffered({}, shareDomainName)];
    const mappingIn = (template: typeof before) => Object.keys(template.findResources('AWS::ApiGatewayV2::ApiMapping'));
    const urlIn = (template: typeof before) => template.findOutputs('WebhookUrl').WebhookUrl?.Value;

    expect(mappingIn(after)).toEqual(mappingIn(before));
    expect(urlIn(after)).toEqual(urlIn(before));
    after.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true });
  });

  test('lets API Gateway put requests on the queue until the domain name leads to the direct API', () => {
    const template = direct(shareDomainName);
    const [mapping] = Object.keys(template.findResources('AWS::ApiGatewayV2::ApiMapping'));
    const policies = template.findResources('AWS::SQS::QueuePolicy', {
      Properties: { Queues: [{ Ref: logicalIdOf('ReceiverInboundQueue') }] },
    });

    expect(Object.values(policies).map(({ DependsOn }) => DependsOn)).toEqual([[mapping]]);
  });

  test('changes no type of a resource with the same logical ID, which CloudFormation refuses', () => {
    const typesIn = (template: ReturnType<typeof direct>): Map<string, string> =>
      new Map(Object.entries<{ Type: string }>(template.toJSON().Resources).map(([id, { Type }]) => [id, Type]));
    const [before, after] = [typesIn(direct(shareDomainName)), typesIn(buffered({}, shareDomainName))];

    expect([...after].filter(([id, type]) => (before.get(id) ?? type) !== type)).toEqual([]);
  });
});

describe('The answers of a buffered ingress', () => {
  const [method] = Object.values(buffered().findResources(METHOD));
  const answers: readonly {
    StatusCode: string;
    SelectionPattern?: string;
    ResponseTemplates: Record<string, string>;
  }[] = method?.Properties.Integration.IntegrationResponses;

  test('have one response for each status, and a last resort', () => {
    expect(answers.map(({ StatusCode, SelectionPattern }) => [StatusCode, SelectionPattern])).toEqual([
      ['200', '200'],
      ['503', undefined],
      ['413', '4\\d\\d'],
    ]);
  });

  test('are 503 if SQS answers 400 for another reason than the size of the message', () => {
    const { StatusCode = '', ResponseTemplates = {} } =
      answers.find(({ SelectionPattern }) => SelectionPattern?.startsWith('4')) ?? {};
    const template = compileMappingTemplate(ResponseTemplates['application/json'] ?? '', 'the template');
    const input = { headers: {}, pathParameters: {}, extendedRequestId: '', requestTimeEpoch: 0 };
    const statusFor = (body: string) => template({ ...input, body }).status ?? Number(StatusCode);

    expect(statusFor('<Code>RequestThrottled</Code>')).toBe(503);
    expect(statusFor('<Message>Message must be shorter than 1048576 bytes.</Message>')).toBe(413);
  });
});
