import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { ParleyPublisher, ParleyReceiver, ParleyTable } from '../../../../../lib/index.ts';
import { VALID } from '../../settings/valid-settings.ts';
import { inTemporaryFolder, synthesizedStack } from '../../synthesized-stack.ts';

const { template } = synthesizedStack('prod', { turns: { silenceSeconds: 8 } });
const plain = synthesizedStack('prod').template;
const idsOf = (all: typeof template, type: string) => Object.keys(all.findResources(type));

describe('A stage with turns', () => {
  test('has one more queue, whose dead letters join the publish failures, with an alarm', () => {
    const added = (type: string) => idsOf(template, type).filter((id) => !idsOf(plain, type).includes(id));
    expect(added('AWS::SQS::Queue')).toEqual([expect.stringMatching(/^PublisherTurnQueue/)]);
    expect(added('AWS::CloudWatch::Alarm')).toEqual([expect.stringMatching(/TurnQueueAge/)]);
    expect(added('AWS::Lambda::EventSourceMapping')).toHaveLength(1);
    const [publishFailures] = idsOf(plain, 'AWS::SQS::Queue').filter((id) => id.startsWith('PublisherPublishFailures'));
    template.hasResourceProperties('AWS::SQS::Queue', {
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [publishFailures, 'Arn'] }, maxReceiveCount: 1000 },
    });
  });

  test('lets publish end turns and read their messages, and nothing else of the table', () => {
    const statement = (Action: string, keys: readonly string[]) =>
      Match.objectLike({ Action, Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } } });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          statement('dynamodb:DeleteItem', ['CONTACT#*']),
          statement('dynamodb:BatchGetItem', ['MESSAGE#*']),
        ]),
      },
      PolicyName: Match.stringLikeRegexp('^Publisher'),
    });
  });

  test('deploys what ends turns before what starts them', () => {
    const [[, receive] = []] = Object.entries(template.findResources('AWS::Lambda::Function')).filter(([id]) =>
      id.startsWith('ReceiverFunction'),
    );
    const dependencies: readonly string[] = receive?.DependsOn ?? [];
    for (const id of ['PublisherFunction', 'PublisherMapping', 'PublisherTurnQueueMapping']) {
      expect(
        dependencies.some((one) => one.startsWith(id)),
        id,
      ).toBe(true);
    }
  });

  test('raises an alarm ten minutes after a turn should have ended, also if it is retried', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Metrics: Match.arrayWith([
        Match.objectLike({
          MetricStat: Match.objectLike({ Metric: Match.objectLike({ MetricName: 'RetriedTurnAge' }) }),
        }),
      ]),
      Threshold: 8 + 600,
    });
  });
});

test('A stage without them has no trace of them, except in the filter of the stream', () => {
  expect(JSON.stringify(plain.toJSON())).not.toMatch(/TurnQueue|TURN_|TURNS/);
});

describe('A receiver with turns in another app', () => {
  const TURNS = { turns: { silenceSeconds: 8 } };
  const build = (ofPublisher?: object) =>
    inTemporaryFolder((outdir) => {
      const context = { 'aws:cdk:bundling-stacks': [] };
      const stack = new Stack(new App({ outdir, context, builtinCloudFormationValidation: false }), 'Shop');
      const table = new ParleyTable(stack, 'Table');
      const receiver = new ParleyReceiver(stack, 'Receiver', { ...VALID, ...TURNS, table });
      if (ofPublisher) receiver.endTurns(new ParleyPublisher(stack, 'Publisher', { ...VALID, ...ofPublisher, table }));
      return Template.fromStack(stack);
    });

  test('must be connected to a publisher, because a turn that never ends refuses messages once it is full', () => {
    expect(() => build()).toThrow(
      'turns: there is no publisher to end them. Call endTurns with a ParleyPublisher, or omit the setting.',
    );
  });

  test('rejects a publisher that would end no turn', () => {
    expect(() => build({})).toThrow(
      'turns: the publisher does not have this setting, so no turn would end. Pass the same turns to the ParleyPublisher.',
    );
  });

  test('is deployed after the publisher', () => {
    build(TURNS).hasResource('AWS::Lambda::Function', {
      Properties: { Environment: { Variables: Match.objectLike({ TURNS: 'true' }) } },
      DependsOn: Match.arrayWith([Match.stringLikeRegexp('^PublisherTurnQueueMapping')]),
    });
  });
});

test.each([
  [
    'publish has no concurrency for its stream',
    { reservedConcurrency: { publish: 2 } },
    /reservedConcurrency\.publish/,
  ],
  ['the silence is longer than SQS can delay a message', { turns: { silenceSeconds: 901 } }, /from 1 to 900/],
])('Turns are rejected if %s', (_what, settings, fault) => {
  expect(() => synthesizedStack('prod', { turns: { silenceSeconds: 8 }, ...settings })).toThrow(fault);
});
