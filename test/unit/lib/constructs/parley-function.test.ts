import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import * as z from '../../../../lambdas/domain/schema.ts';
import { manageEnvironment } from '../../../../lambdas/manage/environment.ts';
import { publishEnvironment } from '../../../../lambdas/publish/environment.ts';
import { turnEnvironment } from '../../../../lambdas/publish/turns/environment.ts';
import { receiveEnvironment } from '../../../../lambdas/receive/environment.ts';
import { bulkEnvironment } from '../../../../lambdas/send/bulk/environment.ts';
import { sendEnvironment } from '../../../../lambdas/send/environment.ts';
import { PRODUCTION } from '../settings/valid-settings.ts';
import { synthesizedStack } from '../synthesized-stack.ts';

const FUNCTION = 'AWS::Lambda::Function';

describe('Every function', () => {
  const { template } = synthesizedStack('prod');

  test('runs on Node 24 and arm64', () => {
    template.allResourcesProperties(FUNCTION, { Runtime: 'nodejs24.x', Architectures: ['arm64'] });
  });

  test('writes JSON to its own log group', () => {
    template.allResourcesProperties(FUNCTION, {
      LoggingConfig: { LogFormat: 'JSON', LogGroup: { Ref: Match.stringLikeRegexp('Logs') } },
    });
  });

  test("does not log Lambda's own lines about each invocation", () => {
    template.allResourcesProperties(FUNCTION, { LoggingConfig: { SystemLogLevel: 'WARN' } });
  });

  test('has a filter for each metric that its log counts, with the identity of the metric on the dashboard', () => {
    template.resourceCountIs('AWS::Logs::MetricFilter', 1);
    template.hasResourceProperties('AWS::Logs::MetricFilter', {
      FilterPattern: '{ $.message = "event stored" }',
      LogGroupName: { Ref: Match.stringLikeRegexp('^ReceiverFunctionLogs') },
      MetricTransformations: [
        {
          MetricName: 'EventStored',
          MetricNamespace: 'Parley-prod',
          MetricValue: '1',
          Dimensions: [{ Key: 'service', Value: '$.service' }],
        },
      ],
    });
  });

  test('has its service name and the name of the stack in its metrics', () => {
    for (const service of ['receive', 'send']) {
      template.hasResourceProperties(FUNCTION, {
        Environment: { Variables: { POWERTOOLS_SERVICE_NAME: service, POWERTOOLS_METRICS_NAMESPACE: 'Parley-prod' } },
      });
    }
  });
});

describe('The environment of a function', () => {
  const { template } = synthesizedStack('prod', {
    defaultTemplate: { ruleNameOrId: 'welcome_back', params: { name: 'Ana' } },
    webhook: { auth: PRODUCTION.webhook.auth, watch: true },
    templates: { welcome_back: ['name'] },
    retentionDays: { messages: 30 },
    window: { marginSeconds: 90 },
    keywords: { languages: ['es'], optIn: ['¡Alta!'], confirmation: 'Te diste de baja.' },
    operators: { echoField: 'OPERATOR_ID', handoverMinutes: 60 },
    turns: { silenceSeconds: 8 },
    sends: { notAfter: 'P2D', bulkLane: { maxConcurrentCalls: 20, maxCallsPerSecond: 30 } },
  });

  test.each([
    { name: 'ReceiverFunction', schema: receiveEnvironment },
    { name: 'SenderFunction', schema: z.extend(sendEnvironment, bulkEnvironment.shape) },
    { name: 'PublisherFunction', schema: z.extend(publishEnvironment, turnEnvironment.shape) },
    { name: 'ManagementFunction', schema: manageEnvironment },
  ])('of $name is one that the function accepts', ({ name, schema }) => {
    expect(schema.safeParse(deployed(environmentOf(name))).error).toBeUndefined();
  });

  test('contains the ARN of the access token, never the token', () => {
    expect(environmentOf('SenderFunction').ACCESS_TOKEN_SECRET_ID).toEqual({
      Ref: expect.stringMatching(/^SenderAccessToken[0-9A-F]{8}$/),
    });
    expect(JSON.stringify(template.toJSON())).not.toContain('{{resolve:secretsmanager');
  });

  function environmentOf(logicalIdPrefix: string): Record<string, unknown> {
    const functions = Object.entries(template.findResources(FUNCTION));
    const [, found] = functions.find(([logicalId]) => logicalId.startsWith(logicalIdPrefix)) ?? [];
    return found?.Properties.Environment.Variables ?? {};
  }

  /** Returns the variables as deployed, with a URL for each value that CloudFormation fills in. */
  function deployed(variables: Record<string, unknown>): Record<string, string> {
    return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, deployedText(value)]));
  }

  function deployedText(value: unknown): string {
    if (typeof value === 'string') return value;
    const { Ref: name, 'Fn::Join': joined } = Object(value);
    if (joined !== undefined) return joined[1].map(deployedText).join('');
    return String(name).startsWith('AWS::') ? 'aws' : 'https://sqs.example/q';
  }
});
