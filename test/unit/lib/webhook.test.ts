import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { synthesizedStack } from './synthesized-stack.ts';

describe('The webhook', () => {
  const { template } = synthesizedStack('prod');

  test('has a route for all numbers and one for each, which hand the raw body to receive', () => {
    const routes = Object.values(
      template.findResources('AWS::ApiGatewayV2::Route', {
        Properties: { ApiId: { Ref: Match.stringLikeRegexp('^WebhookApi') } },
      }),
    );

    expect(routes.map((route) => route.Properties.RouteKey)).toEqual([
      'POST /webhook',
      'POST /webhook/{chatChannelNumber}',
    ]);
    template.hasResourceProperties('AWS::ApiGatewayV2::Integration', {
      IntegrationType: 'AWS_PROXY',
      IntegrationUri: { 'Fn::GetAtt': [Match.stringLikeRegexp('^WebhookReceiveFunction'), 'Arn'] },
      PayloadFormatVersion: '2.0',
    });
  });

  test('logs every post with its answer, and no header: one of them is the signature', () => {
    const [stage] = Object.values(
      template.findResources('AWS::ApiGatewayV2::Stage', {
        Properties: { ApiId: { Ref: Match.stringLikeRegexp('^WebhookApi') } },
      }),
    );
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

  test('has no secret where the posts are verified by public keys', () => {
    expect(secretsOf(template)).toEqual([]);
  });

  test.each([{ kind: 'standard-webhooks' }, { kind: 'shared-token', header: 'x-token' }])(
    'has a secret where the posts are verified as $kind, which outlives a production stage and is told to receive',
    (auth) => {
      const { template: withSecret } = synthesizedStack('prod', { webhook: { auth } });
      const [secret] = secretsOf(withSecret);

      withSecret.hasResource('AWS::SecretsManager::Secret', {
        DeletionPolicy: 'Retain',
        Properties: { GenerateSecretString: { ExcludePunctuation: true, PasswordLength: 32 } },
      });
      withSecret.hasResourceProperties('AWS::Lambda::Function', {
        Environment: { Variables: { POWERTOOLS_SERVICE_NAME: 'receive', WEBHOOK_SECRET_ID: { Ref: secret } } },
      });
      withSecret.hasOutput('WebhookSecretId', { Value: { Ref: secret } });
    },
  );
});

/** The logical ids of the webhook's secrets. */
const secretsOf = (template: ReturnType<typeof synthesizedStack>['template']) =>
  Object.keys(template.findResources('AWS::SecretsManager::Secret')).filter((id) => id.startsWith('Webhook'));
