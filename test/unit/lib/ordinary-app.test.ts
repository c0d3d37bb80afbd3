import { App, CfnParameter, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { ParleyStack } from '../../../lib/parley-stack.ts';
import { LOCAL_RUN_CONTEXT } from '../../../lib/settings/check-production.ts';
import type { StageSettingsInput } from '../../../lib/settings/stage-settings.ts';

// What people's own CDK apps do around the stack.

const SETTINGS: StageSettingsInput = {
  chatService: { baseUrl: 'https://chat-service.example' },
  chatPlatform: 'chat',
  chatChannelNumber: '+5491100000000',
  webhook: { auth: { kind: 'shared-token', header: 'x-token' } },
};

const appWith = (context: Readonly<Record<string, unknown>> = {}) =>
  new App({ context: { 'aws:cdk:bundling-stacks': [], ...context } });

const resourcesOf = (stack: Stack, type: string) => Object.values(Template.fromStack(stack).findResources(type));

describe('a permissions boundary', () => {
  test.each([
    [
      'an aspect',
      (stack: Stack) =>
        PermissionsBoundary.of(stack).apply(ManagedPolicy.fromManagedPolicyName(stack, 'Bound', 'Bound')),
      {},
    ],
    ['the context of the app', () => undefined, { '@aws-cdk/core:permissionsBoundary': { name: 'Bound' } }],
  ])('reaches every role, from %s', (_name, apply, context) => {
    const events = { targets: [{ kind: 'https' as const, url: 'https://crm.example/events' }] };
    const stack = new ParleyStack(appWith(context), 'Parley', { settings: { ...SETTINGS, events } });
    apply(stack);

    const roles = resourcesOf(stack, 'AWS::IAM::Role');

    expect(roles.length).toBeGreaterThan(5);
    expect(roles.filter(({ Properties }) => Properties.PermissionsBoundary === undefined)).toEqual([]);
  });
});

describe('a long stack name', () => {
  const nameOf = (length: number) => `Customers-${'x'.repeat(length - 10)}`;

  test.each([65, 128])('of %i characters is shortened where a resource has shorter names', (length) => {
    const stackName = nameOf(length);
    const stack = new ParleyStack(appWith(), 'Parley', { stackName, settings: SETTINGS });

    const [group] = resourcesOf(stack, 'AWS::Scheduler::ScheduleGroup');
    const apis = resourcesOf(stack, 'AWS::ApiGatewayV2::Api').map(({ Properties }) => Properties.Name);

    expect(group?.Properties.Name).toMatch(/^Customers-x{45}-[0-9a-f]{8}$/);
    expect(apis.filter((name) => name.length > 128)).toEqual([]);
    // A shortened name still says which API it is.
    expect(apis.map((name) => /-[a-z]+$/.exec(name)?.[0]).toSorted()).toEqual(['-management', '-webhook']);
    // The role of the schedules trusts the group by its name.
    expect(JSON.stringify(resourcesOf(stack, 'AWS::IAM::Role'))).toContain(
      `:schedule-group/${group?.Properties.Name}"`,
    );
  });

  test('differs in the shortened names if it differs at its end', () => {
    const groupOf = (stackName: string) =>
      resourcesOf(
        new ParleyStack(appWith(), 'Parley', { stackName, settings: SETTINGS }),
        'AWS::Scheduler::ScheduleGroup',
      )[0]?.Properties.Name;

    expect(groupOf(`${nameOf(100)}a`)).not.toBe(groupOf(`${nameOf(100)}b`));
    expect(groupOf(nameOf(64))).toBe(nameOf(64));
  });

  test('is refused by CDK beyond the limit of CloudFormation', () => {
    expect(() => new ParleyStack(appWith(), 'Parley', { stackName: nameOf(129), settings: SETTINGS })).toThrow(
      'Stack name must be <= 128 characters',
    );
  });
});

describe('a topic that another stack of the app creates', () => {
  const appWithTopics = (context?: Readonly<Record<string, unknown>>) => {
    const app = appWith(context);
    const env = { account: '111122223333', region: 'eu-west-1' };
    const shared = new Stack(app, 'Shared', { env });
    const [alarms, events] = [new Topic(shared, 'Alarms'), new Topic(shared, 'Events')];
    const parley = new ParleyStack(app, 'Parley', {
      env,
      settings: {
        ...SETTINGS,
        alarmTopicArn: alarms.topicArn,
        webhook: { auth: { kind: 'sns', topicArn: events.topicArn } },
      },
    });
    return { app, shared, parley };
  };

  test('can deliver the events and notify people, and is deployed first', () => {
    const { shared, parley } = appWithTopics();

    const template = JSON.stringify(Template.fromStack(parley).toJSON());

    expect(template).toMatch(/"AlarmActions":\[\{"Fn::(GetStackOutput|ImportValue)":[^\]]*Alarms/);
    expect(template).toMatch(
      /\\"kind\\":\\"sns\\",\\"topicArn\\":\\"",\{"Fn::(GetStackOutput|ImportValue)":[^\]]*Events/,
    );
    expect(parley.dependencies).toContain(shared);
  });

  test('is left out of the local run, which has nothing of another stack', () => {
    const { parley } = appWithTopics({ [LOCAL_RUN_CONTEXT]: true });

    const template = JSON.stringify(Template.fromStack(parley).toJSON());

    expect(template).not.toMatch(/Fn::(GetStackOutput|ImportValue)/);
    expect(template).toContain('arn:aws:sns:us-east-1:000000000000:');
  });
});

describe('a setting that is known only at deployment', () => {
  test.each([
    ['chatChannelNumber', (stack: Stack) => ({ chatChannelNumber: new CfnParameter(stack, 'Number').valueAsString })],
    [
      'events.targets.0.queueArn',
      (stack: Stack) => ({
        events: { targets: [{ kind: 'sqs' as const, queueArn: new Queue(stack, 'Queue').queueArn }] },
      }),
    ],
  ])('is refused in a sentence: %s', (setting, settingsIn) => {
    const app = appWith();
    const other = new Stack(app, 'Other');

    expect(() => new ParleyStack(app, 'Parley', { settings: { ...SETTINGS, ...settingsIn(other) } })).toThrow(
      `Parley.${setting}: got a CDK token, whose value is known only at deployment, expected `,
    );
  });
});
