import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { ParleyStack } from '../../../lib/index.ts';
import type { StageSettingsInput } from '../../../lib/settings/stage-settings.ts';
import { VALID } from './settings/valid-settings.ts';
import { CDK_CONTEXT, inTemporaryFolder } from './synthesized-stack.ts';

/** Everything that a stage can have, so that each kind of name is compared. */
const EVERYTHING: StageSettingsInput = {
  ...VALID,
  customerManagedKey: true,
  webhook: { auth: { kind: 'shared-token', header: 'x-token' } },
  events: {
    targets: [
      { kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:111122223333:crm' },
      { kind: 'https', url: 'https://crm.bank.internal/parley' },
    ],
  },
  alarmTopicArn: 'arn:aws:sns:eu-west-1:444455556666:alarms',
};

/** Properties that name a resource of the account and region, instead of letting CloudFormation generate the name. */
const NAME_PROPERTIES = /^(\w+)?Name$/;

/** Properties that name another resource, or what belongs to one, such as the inline policy of a role. */
const NO_NAMES = ['EventBusName', 'FunctionName', 'LogGroupName', 'MetricName', 'PolicyName', 'StageName'];

/** Returns the names that a template fixes, as `type name`. */
const namesIn = (template: Template): string[] =>
  Object.entries<{ Type: string; Properties?: Record<string, unknown> }>(template.toJSON().Resources).flatMap(
    ([, { Type, Properties = {} }]) =>
      Object.entries(Properties)
        .filter(
          ([property, value]) =>
            NAME_PROPERTIES.test(property) && !NO_NAMES.includes(property) && typeof value === 'string',
        )
        .map(([, value]) => `${Type} ${String(value)}`),
  );

const exportsIn = (template: Template): unknown[] =>
  Object.values<{ Export?: unknown }>(template.toJSON().Outputs ?? {}).flatMap(({ Export }) => Export ?? []);

/** The namespaces of the metrics that functions emit, filters count, and alarms watch. */
const namespacesIn = (template: Template): string[] => {
  const namespaces = JSON.stringify(template.toJSON()).matchAll(
    /"(?:POWERTOOLS_METRICS_NAMESPACE|MetricNamespace|Namespace)":"([^"]+)"/g,
  );
  return [...new Set([...namespaces].flatMap(([, name = '']) => (name.startsWith('AWS/') ? [] : [name])))];
};

const synthesize = (build: (app: App) => readonly Stack[]): readonly Template[] =>
  inTemporaryFolder((outdir) => {
    const context = { ...CDK_CONTEXT, 'aws:cdk:bundling-stacks': [] };
    return build(new App({ outdir, context, builtinCloudFormationValidation: false })).map((one) =>
      Template.fromStack(one),
    );
  });

describe('Two stages of one account', () => {
  // The name of one starts with that of the other.
  const [first, second] = synthesize((app) =>
    ['Parley-prod', 'Parley-prod-2'].map((name) => new ParleyStack(app, name, { settings: EVERYTHING })),
  );
  if (!first || !second) throw new Error('There are two stages.');

  test('have no name in common, and each name that they fix starts with the name of the stack', () => {
    const [names, others] = [namesIn(first), namesIn(second)];

    expect(names.toSorted()).toEqual([
      'AWS::ApiGatewayV2::Api Parley-prod-management',
      'AWS::ApiGatewayV2::Api Parley-prod-webhook',
      'AWS::Events::EventBus Parley-prod',
      'AWS::Logs::QueryDefinition Parley-prod/Follow a contact',
      'AWS::Logs::QueryDefinition Parley-prod/Follow a request',
      'AWS::Logs::QueryDefinition Parley-prod/Follow a trace',
      'AWS::Scheduler::ScheduleGroup Parley-prod',
    ]);
    expect(names.filter((name) => others.includes(name))).toEqual([]);
  });

  test('export nothing, so that no export of another stack has the same name', () => {
    expect([...exportsIn(first), ...exportsIn(second)]).toEqual([]);
  });

  test('count and watch metrics in a namespace of their own', () => {
    expect([namespacesIn(first), namespacesIn(second)]).toEqual([['Parley-prod'], ['Parley-prod-2']]);
  });

  test('leave the names of alarms, queues, tables, functions, and secrets to CloudFormation', () => {
    const types = ['CloudWatch::Alarm', 'SQS::Queue', 'DynamoDB::Table', 'Lambda::Function', 'SecretsManager::Secret'];

    const named = types.filter((type) =>
      Object.values(first.findResources(`AWS::${type}`)).some(({ Properties }) =>
        Object.keys(Properties).some((property) => /^(Alarm|Queue|Table|Function)?Name$/.test(property)),
      ),
    );
    expect(named).toEqual([]);
  });
});

describe('A stage with several business numbers', () => {
  test('has the same resources as one with one number, because the number is data', () => {
    const stageWith = (per: 'user' | 'channel') =>
      synthesize((app) => [new ParleyStack(app, 'Parley-prod', { settings: { ...EVERYTHING, window: { per } } })])[0];
    const idsOf = (template: Template | undefined) =>
      Object.keys(template?.toJSON().Resources ?? {}).filter((id) => !id.includes('EventsWithoutChannel'));

    expect(idsOf(stageWith('channel'))).toEqual(idsOf(stageWith('user')));
  });

  test('accepts the number in the path of the webhook', () => {
    const [template] = synthesize((app) => [new ParleyStack(app, 'Parley-prod', { settings: EVERYTHING })]);

    template?.hasResourceProperties('AWS::ApiGatewayV2::Route', { RouteKey: 'POST /webhook/{chatChannelNumber}' });
  });
});
