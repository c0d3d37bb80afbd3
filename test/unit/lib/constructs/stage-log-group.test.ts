import { describe, expect, test } from 'vitest';
import { LOG_RETENTION_DAYS } from '../../../../lib/settings/log-retention.ts';
import { synthesizedStack } from '../synthesized-stack.ts';

const LOG_GROUP = 'AWS::Logs::LogGroup';

describe('The log groups', () => {
  test('keep logs for 30 days, or for the time of the setting', () => {
    const { template } = synthesizedStack('prod');
    template.resourceCountIs(LOG_GROUP, 6);
    template.allResourcesProperties(LOG_GROUP, { RetentionInDays: 30 });

    synthesizedStack('prod', { retentionDays: { logs: 3653 } }).template.allResourcesProperties(LOG_GROUP, {
      RetentionInDays: 3653,
    });
  });

  test('can be kept for every number of days that CloudFormation accepts', () => {
    const settings = { retentionDays: { logs: LOG_RETENTION_DAYS[0] } };

    // The rules know the allowed numbers.
    synthesizedStack('dev', settings, { withCloudFormationRules: true }).template.allResourcesProperties(LOG_GROUP, {
      RetentionInDays: 1,
    });
  });

  test('of the APIs need no statement in the resource policy that all log groups of an account share', () => {
    const { template } = synthesizedStack('prod');
    const groups = template.findResources(LOG_GROUP);
    const stages = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));

    expect(stages).toHaveLength(2);
    for (const { Properties } of stages) {
      const [logicalId] = Properties.AccessLogSettings.DestinationArn['Fn::GetAtt'];
      expect(groups[logicalId]?.Properties.LogGroupName['Fn::Join'][1][0]).toBe('/aws/vendedlogs/');
    }
  });

  test('outlive a production stage, under names that a second deployment does not need', () => {
    const groups = Object.values(synthesizedStack('prod').template.findResources(LOG_GROUP));

    expect(groups.map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(groups.map(() => 'RetainExceptOnCreate'));
    const names = groups.flatMap(({ Properties }) => Properties.LogGroupName ?? []);
    const uuid = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
    expect(names.map((name) => name['Fn::Join'][1].at(-1))).toEqual(names.map(() => uuid));
    synthesizedStack('dev').template.allResources(LOG_GROUP, { DeletionPolicy: 'Delete' });
  });
});
