import { describe, expect, test } from 'vitest';
import { logicalIdOf, synthesizedStack } from '../synthesized-stack.ts';

describe('The webhook', () => {
  const { template } = synthesizedStack('prod');

  test('has a route for all business numbers and one per number, both to the function', () => {
    const routes = Object.values(
      template.findResources('AWS::ApiGatewayV2::Route', {
        Properties: { ApiId: { Ref: logicalIdOf('ReceiverApi') } },
      }),
    );

    expect(routes.map((route) => route.Properties.RouteKey)).toEqual([
      'POST /webhook',
      'POST /webhook/{chatChannelNumber}',
    ]);
    template.hasResourceProperties('AWS::ApiGatewayV2::Integration', {
      IntegrationType: 'AWS_PROXY',
      IntegrationUri: { 'Fn::GetAtt': [logicalIdOf('ReceiverFunction'), 'Arn'] },
      PayloadFormatVersion: '2.0',
    });
  });

  test('logs every request with its answer but no header, since one carries the signature', () => {
    const [stage] = Object.values(
      template.findResources('AWS::ApiGatewayV2::Stage', {
        Properties: { ApiId: { Ref: logicalIdOf('ReceiverApi') } },
      }),
    );
    const format = JSON.parse(stage?.Properties.AccessLogSettings.Format);

    expect(Object.values(format)).toEqual(expect.arrayContaining(['$context.requestId', '$context.status']));
    expect(JSON.stringify(format)).not.toMatch(/header|authorizer/i);
  });

  test('has the memory, and so the processor, to answer within two seconds of a cold start', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { POWERTOOLS_SERVICE_NAME: 'receive' } },
      MemorySize: 1024,
    });
  });

  test('has no secret when requests are verified with public keys', () => {
    expect(secretsOf(template)).toEqual([]);
  });

  test.each([{ kind: 'standard-webhooks' }, { kind: 'shared-token', header: 'x-token' }])(
    'has a secret for $kind, retained in a production stage and passed to the function',
    (auth) => {
      const { template: withSecret } = synthesizedStack('prod', { webhook: { auth } });
      const [secret] = secretsOf(withSecret);

      withSecret.hasResource('AWS::SecretsManager::Secret', {
        DeletionPolicy: 'RetainExceptOnCreate',
        Properties: { GenerateSecretString: { ExcludePunctuation: true, PasswordLength: 32 } },
      });
      withSecret.hasResourceProperties('AWS::Lambda::Function', {
        Environment: { Variables: { POWERTOOLS_SERVICE_NAME: 'receive', WEBHOOK_SECRET_ID: { Ref: secret } } },
      });
      withSecret.hasOutput('WebhookSecretId', { Value: { Ref: secret } });
      withSecret.hasOutput('WebhookSecretKind', { Value: auth.kind });
    },
  );
});

/** Returns the logical ids of the webhook's secrets. */
const secretsOf = (template: ReturnType<typeof synthesizedStack>['template']) =>
  Object.keys(template.findResources('AWS::SecretsManager::Secret')).filter((id) => id.startsWith('Receiver'));
