import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { receiveEnvironment } from '../../../lambdas/receive/environment.ts';
import { sendEnvironment } from '../../../lambdas/send/environment.ts';
import { synthesizedStack } from './synthesized-stack.ts';

const FUNCTION = 'AWS::Lambda::Function';

describe('Every function', () => {
  const { template } = synthesizedStack('prod');

  test('runs on Node 24 and arm64', () => {
    template.allResourcesProperties(FUNCTION, { Runtime: 'nodejs24.x', Architectures: ['arm64'] });
  });

  test('writes JSON to a log group of its own that forgets', () => {
    template.allResourcesProperties(FUNCTION, {
      LoggingConfig: { LogFormat: 'JSON', LogGroup: { Ref: Match.stringLikeRegexp('Logs') } },
    });
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
  });

  test('names itself in its metrics', () => {
    for (const service of ['receive', 'send']) {
      template.hasResourceProperties(FUNCTION, {
        Environment: { Variables: { POWERTOOLS_SERVICE_NAME: service, POWERTOOLS_METRICS_NAMESPACE: 'Parley-prod' } },
      });
    }
  });
});

describe('A function’s environment', () => {
  const defaultTemplate = { ruleNameOrId: 'welcome_back', params: { name: 'Ana' } };
  const { template } = synthesizedStack('prod', { defaultTemplate, retentionDays: 30, window: { marginSeconds: 90 } });

  test.each([
    { name: 'WebhookReceiveFunction', schema: receiveEnvironment },
    { name: 'SendingSendFunction', schema: sendEnvironment },
  ])('of $name is what the function reads, and nothing more', ({ name, schema }) => {
    const { POWERTOOLS_SERVICE_NAME, POWERTOOLS_METRICS_NAMESPACE, ...own } = environmentOf(name);

    const optional = ['WEBHOOK_SECRET_ID'];
    const expected = Object.keys(schema.shape).filter((variable) => !optional.includes(variable));

    expect(Object.keys(own).sort()).toEqual(expected.sort());
    expect(schema.safeParse(deployed(own)).error).toBeUndefined();
  });

  test('carries the stage’s settings', () => {
    expect(environmentOf('SendingSendFunction')).toMatchObject({
      CHAT_SERVICE_URL: 'https://chat-service.example',
      CHAT_CHANNEL_NUMBER: '+5491100000000',
      WINDOW_MARGIN_SECONDS: '90',
      RETENTION_DAYS: '30',
      DEFAULT_TEMPLATE: JSON.stringify(defaultTemplate),
    });
    expect(JSON.parse(String(environmentOf('WebhookReceiveFunction').WEBHOOK_AUTH))).toMatchObject({
      kind: 'pubsub-jwt',
      audience: 'parley-prod',
    });
  });

  test('holds the access token’s address, never the token', () => {
    expect(environmentOf('SendingSendFunction').ACCESS_TOKEN_SECRET_ID).toEqual({
      Ref: expect.stringMatching(/^SendingAccessToken/),
    });
    expect(JSON.stringify(template.toJSON())).not.toContain('{{resolve:secretsmanager');
  });

  function environmentOf(logicalIdPrefix: string): Record<string, unknown> {
    const functions = Object.entries(template.findResources(FUNCTION));
    const [, found] = functions.find(([logicalId]) => logicalId.startsWith(logicalIdPrefix)) ?? [];
    return found?.Properties.Environment.Variables ?? {};
  }

  /** As it arrives: what CloudFormation fills in stands as an address here. */
  function deployed(variables: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : 'https://sqs.example/q',
      ]),
    );
  }
});
