import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { synthesizedStack } from './synthesized-stack.ts';

describe('The webhook', () => {
  const { template } = synthesizedStack('prod');

  test('has one route, POST /webhook, which hands the raw body to receive', () => {
    const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route'));

    expect(routes.map((route) => route.Properties.RouteKey)).toEqual(['POST /webhook']);
    template.hasResourceProperties('AWS::ApiGatewayV2::Integration', {
      IntegrationType: 'AWS_PROXY',
      IntegrationUri: { 'Fn::GetAtt': [Match.stringLikeRegexp('^WebhookReceiveFunction'), 'Arn'] },
      PayloadFormatVersion: '2.0',
    });
  });

  test('logs every post with its answer, and no header: one of them is the signature', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const format = JSON.parse(stage?.Properties.AccessLogSettings.Format);

    expect(Object.values(format)).toEqual(expect.arrayContaining(['$context.requestId', '$context.status']));
    expect(JSON.stringify(format)).not.toMatch(/header|authorizer/i);
  });

  test('gives receive the memory, and so the processor, to start cold and answer within two seconds', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { POWERTOOLS_SERVICE_NAME: 'receive' } },
      MemorySize: 1024,
    });
  });
});
