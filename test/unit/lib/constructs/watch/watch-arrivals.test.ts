import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { logicalIdOf, synthesizedStack } from '../../synthesized-stack.ts';

const auth = { kind: 'shared-token', header: 'auth-bm-token' };
const off = synthesizedStack('prod', { webhook: { auth } }).template;
const on = synthesizedStack('prod', { webhook: { auth, watch: true } }).template;

const SCHEDULE = 'AWS::Scheduler::Schedule';
const ALARM = { Namespace: 'Parley-prod', MetricName: 'ChannelSilent' };
const variablesOf = (service: string) => ({
  Environment: { Variables: Match.objectLike({ POWERTOOLS_SERVICE_NAME: service, WATCH: 'true' }) },
});

describe('A stage that watches what arrives', () => {
  test('looks every five minutes for what did not, and nothing else may invoke the function for it', () => {
    on.hasResourceProperties(SCHEDULE, {
      ScheduleExpression: 'rate(5 minutes)',
      Target: { Input: '{"watchArrivals":true}', RoleArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('Watch'), 'Arn'] } },
    });
  });

  test('tells the functions that note and judge it', () => {
    for (const service of ['receive', 'manage'])
      on.hasResourceProperties('AWS::Lambda::Function', variablesOf(service));
    on.resourcePropertiesCountIs('AWS::Lambda::Function', variablesOf('send'), 0);
  });

  test('lets receive write the items of channels', () => {
    on.hasResourceProperties('AWS::IAM::Policy', {
      Roles: [{ Ref: logicalIdOf('ReceiverFunctionRole') }],
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: 'dynamodb:UpdateItem',
            Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': Match.arrayWith(['CHANNEL#*']) } },
          }),
        ]),
      },
    });
  });

  test('has an alarm that lasts while a channel is silent', () => {
    on.hasResourceProperties('AWS::CloudWatch::Alarm', {
      ...ALARM,
      Dimensions: [{ Name: 'service', Value: 'manage' }],
      Threshold: 1,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 1,
    });
  });
});

describe('A stage that does not', () => {
  test('has nothing of it, so it costs nothing', () => {
    off.resourcePropertiesCountIs(SCHEDULE, { ScheduleExpression: 'rate(5 minutes)' }, 0);
    off.resourcePropertiesCountIs('AWS::CloudWatch::Alarm', ALARM, 0);
    for (const service of ['receive', 'manage']) {
      off.resourcePropertiesCountIs('AWS::Lambda::Function', variablesOf(service), 0);
    }
    const more = Object.keys(on.toJSON().Resources).filter((id) => !(id in off.toJSON().Resources));
    expect(more.filter((id) => !/Watch|ChannelsSilent/.test(id))).toEqual([]);
  });
});
