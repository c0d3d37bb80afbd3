import { isDeepStrictEqual } from 'node:util';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaDeploymentConfig } from 'aws-cdk-lib/aws-codedeploy';
import { describe, expect, test } from 'vitest';
import { ParleyReceiver } from '../../../../../lib/constructs/receiver.ts';
import { ParleyTable } from '../../../../../lib/constructs/table.ts';
import { statementsOf } from '../../iam-statements.ts';
import { PRODUCTION } from '../../settings/valid-settings.ts';
import { CDK_CONTEXT, inTemporaryFolder, logicalIdOf, synthesizedStack } from '../../synthesized-stack.ts';

const ROLLOUT = 'gradual';
const PARTS = ['Receiver', 'Sender', 'Publisher', 'Management'];
const NEW_RESOURCES = /^AWS::(CodeDeploy::|Lambda::(Alias|Version))/;

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DependsOn?: readonly string[];
}

const contents = (of: Template): { Resources: Record<string, Resource> } => ({ Resources: of.toJSON().Resources });

const { template } = synthesizedStack('prod', { rollout: ROLLOUT });
const json = contents(template);
const resources = Object.entries(json.Resources);
const ofType = (type: string) => resources.filter(([, { Type }]) => Type === type);
const idOf = (type: string, part: string): string => {
  const [found] = ofType(type).flatMap(([id]) => (id.startsWith(part) ? [id] : []));
  if (found === undefined) throw new Error(`No ${type} of ${part}.`);
  return found;
};
const written = (value: unknown): string => JSON.stringify(value);

describe('A stage that rolls out all at once', () => {
  test('has the same template as without the setting, and no version, alias, or CodeDeploy resource', () => {
    const without = synthesizedStack('prod').template.toJSON();

    expect(synthesizedStack('prod', { rollout: 'allAtOnce' }).template.toJSON()).toEqual(without);
    const types = Object.values<{ Type: string }>(without.Resources).map(({ Type }) => Type);
    expect(types.filter((type) => NEW_RESOURCES.test(type))).toEqual([]);
  });

  test('keeps every resource when rollouts are turned on, so that turning them on replaces nothing', () => {
    const without = contents(synthesizedStack('prod').template);
    const replaceable = [
      'AWS::Lambda::EventSourceMapping',
      'AWS::ApiGatewayV2::Integration',
      'AWS::Scheduler::Schedule',
    ];
    const changed = Object.entries(without.Resources)
      .filter(([id, { Properties }]) => !isDeepStrictEqual(json.Resources[id]?.Properties, Properties))
      .map(([, { Type }]) => Type);

    // The last two: who may be invoked, and the graph of alarms.
    expect(new Set(changed)).toEqual(new Set([...replaceable, 'AWS::IAM::Policy', 'AWS::CloudWatch::Dashboard']));
  });
});

describe('A stage with a gradual rollout', () => {
  test.each(PARTS)('invokes the function of the %s only through its alias', (part) => {
    const functionId = idOf('AWS::Lambda::Function', part);
    const aliasId = idOf('AWS::Lambda::Alias', part);
    const invokers = ['AWS::Lambda::EventSourceMapping', 'AWS::ApiGatewayV2::Integration', 'AWS::Scheduler::Schedule'];

    const naming = resources.filter(
      ([id, { Type, Properties }]) => id.startsWith(part) && invokers.includes(Type) && written(Properties) !== '',
    );

    expect(naming.length).toBeGreaterThan(0);
    for (const [id, { Properties }] of naming) {
      expect(written(Properties), id).not.toContain(functionId);
      expect(written(Properties), id).toContain(aliasId);
    }
  });

  test('names a function itself only in these resources', () => {
    const ids = ofType('AWS::Lambda::Function').map(([id]) => id);
    const naming = resources.filter(([, { Properties }]) =>
      ids.some((id) => written(Properties ?? {}).includes(`"${id}"`)),
    );

    expect([...new Set(naming.map(([, { Type }]) => Type))].toSorted()).toEqual([
      'AWS::CloudWatch::Alarm',
      'AWS::CloudWatch::Dashboard',
      // CodeDeploy's, which moves the alias.
      'AWS::IAM::Policy',
      'AWS::Lambda::Alias',
      // Those that a stage without rollouts has, so that turning rollouts off interrupts nothing.
      'AWS::Lambda::Permission',
      'AWS::Lambda::Version',
    ]);
  });

  test('lets the schedule that keeps dead letters invoke the alias, and nothing else', () => {
    const [statement] = statementsOf(template).filter((line) => line.startsWith('ManagementKeepDeadLettersRole'));

    expect(statement).toBe(
      'ManagementKeepDeadLettersRoleDefaultPolicy: Allow lambda:InvokeFunction on ManagementFunctionRolloutAlias',
    );
  });

  test.each(['Receiver', 'Management'])(
    'permits the API of the %s to invoke the alias before it does so, and the function as before',
    (part) => {
      const aliasId = idOf('AWS::Lambda::Alias', part);
      const [integration] = ofType('AWS::ApiGatewayV2::Integration').filter(([id]) => id.startsWith(part));
      const permissions = ofType('AWS::Lambda::Permission').filter(([id]) => id.startsWith(part));
      const ofAlias = permissions.filter(([, { Properties }]) => written(Properties.FunctionName).includes(aliasId));
      const sources = (some: typeof permissions) => some.map(([, { Properties }]) => written(Properties.SourceArn));

      expect(integration?.[1].DependsOn?.toSorted()).toEqual(ofAlias.map(([id]) => id).toSorted());
      const ofFunction = permissions.filter((permission) => !ofAlias.includes(permission));
      expect(sources(ofAlias)).toEqual(sources(ofFunction));
      expect(ofAlias).toHaveLength(1);
    },
  );

  test.each(PARTS)('moves the alias of the %s with CodeDeploy, and back if the new version fails', (part) => {
    const group = idOf('AWS::CodeDeploy::DeploymentGroup', part);
    const alarm = idOf(
      'AWS::CloudWatch::Alarm',
      `Monitoring${{ Receiver: 'Receive', Sender: 'Send', Publisher: 'Publish', Management: 'Manage' }[part]}NewVersion`,
    );
    template.hasResource('AWS::Lambda::Alias', {
      Properties: { FunctionVersion: { 'Fn::GetAtt': [idOf('AWS::Lambda::Version', part), 'Version'] } },
      UpdatePolicy: {
        CodeDeployLambdaAliasUpdate: {
          ApplicationName: { Ref: idOf('AWS::CodeDeploy::Application', part) },
          DeploymentGroupName: { Ref: group },
        },
      },
    });
    expect(json.Resources[group]?.Properties).toMatchObject({
      DeploymentConfigName: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_1MINUTE.deploymentConfigName,
      AlarmConfiguration: { Enabled: true, IgnorePollAlarmFailure: false, Alarms: [{ Name: { Ref: alarm } }] },
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      },
    });
    // The role can move the alias before CloudFormation asks CodeDeploy to.
    const policy = resources.find(([id]) => id.startsWith(`${part}FunctionRolloutRoleDefaultPolicy`))?.[0];
    expect(json.Resources[group]?.DependsOn).toContain(policy);
  });

  test.each([
    { part: 'Receiver', alarm: 'Receive' },
    { part: 'Sender', alarm: 'Send' },
    { part: 'Publisher', alarm: 'Publish' },
    { part: 'Management', alarm: 'Manage' },
  ])('watches only the errors of the new version of the $part', ({ part, alarm }) => {
    const functionId = idOf('AWS::Lambda::Function', part);
    expect(json.Resources[idOf('AWS::CloudWatch::Alarm', `Monitoring${alarm}NewVersion`)]?.Properties).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'Errors',
      Dimensions: [
        { Name: 'ExecutedVersion', Value: { 'Fn::GetAtt': [idOf('AWS::Lambda::Version', part), 'Version'] } },
        { Name: 'FunctionName', Value: { Ref: functionId } },
        { Name: 'Resource', Value: { 'Fn::Join': ['', [{ Ref: functionId }, ':live']] } },
      ],
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  test("lets CodeDeploy move this function's alias and poll alarms, and nothing else", () => {
    const statements = statementsOf(template).filter((line) => line.startsWith('SenderFunctionRolloutRole'));

    expect(statements).toEqual([
      'SenderFunctionRolloutRoleDefaultPolicy: Allow cloudwatch:DescribeAlarms on *',
      'SenderFunctionRolloutRoleDefaultPolicy: Allow lambda:GetAlias, lambda:UpdateAlias on SenderFunction.Arn',
      'SenderFunctionRolloutRoleDefaultPolicy: Allow lambda:GetProvisionedConcurrencyConfig on SenderFunction.Arn:*',
    ]);
  });

  test('publishes a version only of the functions whose code or configuration changes', () => {
    const versions = (settings: object) =>
      Object.keys(
        synthesizedStack('prod', { rollout: ROLLOUT, ...settings }).template.findResources('AWS::Lambda::Version'),
      );
    const changedBy = (settings: object) => versions(settings).filter((id) => !versions({}).includes(id));

    expect(changedBy({ runbookUrl: 'https://git.example/runbook.md' })).toEqual([]);
    expect(changedBy({ optOutExemptReasons: ['payment'] })).toEqual([
      expect.stringMatching(/^SenderFunctionCurrentVersion/),
      expect.stringMatching(/^ManagementFunctionCurrentVersion/),
    ]);
  });
});

describe('A receiver with a gradual rollout and no ParleyMonitoring', () => {
  const receiver = (outdir: string) => {
    const app = new App({ outdir, context: { ...CDK_CONTEXT, 'aws:cdk:bundling-stacks': [] } });
    const stack = new Stack(app, 'Other');
    const table = new ParleyTable(stack, 'Table');
    return { stack, parts: new ParleyReceiver(stack, 'Receiver', { ...PRODUCTION, table, rollout: ROLLOUT }) };
  };

  test('is refused, because nothing would end the rollout of a defective version', () => {
    inTemporaryFolder((outdir) => {
      const { stack } = receiver(outdir);
      expect(() => Template.fromStack(stack)).toThrow('call rollBackOn with an alarm of your own');
    });
  });

  test('is accepted with an alarm of its own', () => {
    inTemporaryFolder((outdir) => {
      const { stack, parts } = receiver(outdir);
      const metric = parts.handler.metricErrors();
      const alarm = new Alarm(stack, 'Alarm', { metric, threshold: 1, evaluationPeriods: 1 });
      parts.handler.rollout?.rollBackOn(alarm);
      Template.fromStack(stack).hasResourceProperties('AWS::CodeDeploy::DeploymentGroup', {
        AlarmConfiguration: Match.objectLike({ Alarms: [{ Name: { Ref: logicalIdOf('Alarm') } }] }),
      });
    });
  });
});
