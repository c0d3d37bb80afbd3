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

  test('outlive a production stage, under names that a second deployment does not need', () => {
    const groups = Object.values(synthesizedStack('prod').template.findResources(LOG_GROUP));

    expect(groups.map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(groups.map(() => 'Retain'));
    expect(groups.map(({ Properties }) => Properties.LogGroupName)).toEqual(groups.map(() => undefined));
    synthesizedStack('dev').template.allResources(LOG_GROUP, { DeletionPolicy: 'Delete' });
  });
});
