import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { logicalIdOf, synthesizedStack } from '../synthesized-stack.ts';

/** The dead-letter queues whose messages expire, and what has the data anyway. */
const NOT_KEPT: Readonly<Record<string, string>> = {
  PublisherPublishFailures: 'The table has what changed.',
  PublisherTargetsDeadLetters: 'The table has what the event reported.',
};

const target = { kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:111122223333:orders' };
const { template } = synthesizedStack('prod', { events: { targets: [target] } });

/** The queues that no function consumes, without the hashes of their logical IDs. */
const unconsumed = () => {
  const mappings = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
  const consumed = JSON.stringify(mappings.map(({ Properties }) => Properties.EventSourceArn));
  return Object.keys(template.findResources('AWS::SQS::Queue')).filter((id) => !consumed.includes(`"${id}"`));
};
/** The queues whose dead letters the function keeps, by its environment. */
const keptQueues = () => {
  const [manage] = Object.values(
    template.findResources('AWS::Lambda::Function', {
      Properties: { Environment: { Variables: { POWERTOOLS_SERVICE_NAME: 'manage' } } },
    }),
  );
  const variables: Record<string, unknown> = manage?.Properties.Environment.Variables;
  return Object.entries(variables)
    .filter(([name]) => name.endsWith('_DEAD_LETTER_QUEUE_URL'))
    .map(([, value]) => Object(value).Ref);
};

test('every queue without a consumer is kept before SQS deletes its messages, or is a copy of data in the table', () => {
  const notKept = unconsumed().filter((id) => !keptQueues().includes(id));

  expect(notKept.map((id) => id.replace(/[0-9A-F]{8}$/, '')).toSorted()).toEqual(Object.keys(NOT_KEPT).toSorted());
});

test('every queue without a consumer is an output, so that the command counts its messages', () => {
  const outputs = Object.values(template.findOutputs('*')).map(({ Value }) => Value.Ref);

  expect(unconsumed().filter((id) => !outputs.includes(id))).toEqual([]);
});

test('dead letters are kept once a day', () => {
  template.resourceCountIs('AWS::Scheduler::Schedule', 1);
  template.hasResourceProperties('AWS::Scheduler::Schedule', {
    ScheduleExpression: 'rate(1 day)',
    State: Match.absent(),
    Target: {
      Arn: { 'Fn::GetAtt': [logicalIdOf('ManagementFunction'), 'Arn'] },
      Input: '{"keepDeadLetters":true}',
    },
  });
});
