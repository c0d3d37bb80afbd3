import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { synthesizedStack } from '../synthesized-stack.ts';
import { STAGE_VARIANTS } from './stage-variants.ts';

/** Condition keys that say on whose behalf a service acts, or what only this stack's resources pass to KMS. */
const SOURCE_KEYS = [
  'aws:SourceAccount',
  'aws:SourceArn',
  'kms:EncryptionContext:aws:logs:arn',
  'kms:EncryptionContext:aws:sqs:arn',
];

/** Statements for a service that need no such condition, with the reason. */
const WITHOUT_SOURCE: Readonly<Record<string, string>> = {
  'ReceiverApiRole195D9839.AssumeRolePolicyDocument for "apigateway.amazonaws.com"':
    'API Gateway names no source when it assumes the role of an integration.',
};

/** Services that are documented to name on whose behalf they assume a role, with the source. */
const NAMES_SOURCE: Readonly<Record<string, string>> = {
  'codedeploy.amazonaws.com': 'https://docs.aws.amazon.com/codedeploy/latest/userguide/security_confused_deputy.html',
  'events.amazonaws.com': 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-cross-account.html',
  'scheduler.amazonaws.com':
    'https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html',
};

const statement = z.looseObject({
  Effect: z.string(),
  Principal: z.union([z.string(), z.looseObject({ Service: z.unknown().optional() })]).optional(),
  Condition: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});
const policyDocument = z.looseObject({ Statement: z.array(statement) });

interface Trust {
  readonly place: string;
  readonly keys: readonly string[];
}

/** Returns what a template lets services do: in trust policies, resource policies, and permissions of functions. */
function trustsIn(template: Template): Trust[] {
  const resources: Record<string, { Type: string; Properties?: Record<string, unknown> }> = template.toJSON().Resources;
  return Object.entries(resources).flatMap(([logicalId, { Type, Properties = {} }]) => {
    if (Type === 'AWS::Lambda::Permission') {
      const keys = ['SourceArn', 'SourceAccount'].filter((name) => name in Properties).map((name) => `aws:${name}`);
      return [{ place: `${logicalId} for ${String(Properties.Principal)}`, keys }];
    }
    return Object.entries(Properties).flatMap(([property, value]) => {
      const { data } = policyDocument.safeParse(value);
      return (data?.Statement ?? []).flatMap(({ Effect, Principal, Condition }) => {
        const service = typeof Principal === 'object' ? Principal.Service : undefined;
        if (Effect !== 'Allow' || service === undefined) return [];
        const keys = Object.values(Condition).flatMap((values) => Object.keys(values));
        return [{ place: `${logicalId}.${property} for ${JSON.stringify(service)}`, keys }];
      });
    });
  });
}

const withoutSource = (trusts: readonly Trust[]) =>
  trusts.filter(({ keys }) => !keys.some((key) => SOURCE_KEYS.includes(key))).map(({ place }) => place);

const everything = STAGE_VARIANTS.map(
  ({ stage, settings, share }) => synthesizedStack(stage, settings, { share }).template,
);

describe('A service', () => {
  test('cannot use a role or a resource of the stack on behalf of another account', () => {
    const found = new Set(everything.flatMap((template) => withoutSource(trustsIn(template))));

    expect([...found].toSorted()).toEqual(Object.keys(WITHOUT_SOURCE).toSorted());
  });

  test('is looked for in every kind of policy', () => {
    const services = new Set(everything.flatMap(trustsIn).map(({ place }) => place.replace(/^\w+?(\.| )/, '')));

    expect([...services].toSorted()).toEqual([
      'AssumeRolePolicyDocument for "apigateway.amazonaws.com"',
      'AssumeRolePolicyDocument for "codedeploy.amazonaws.com"',
      'AssumeRolePolicyDocument for "events.amazonaws.com"',
      'AssumeRolePolicyDocument for "lambda.amazonaws.com"',
      'AssumeRolePolicyDocument for "scheduler.amazonaws.com"',
      'KeyPolicy for "events.amazonaws.com"',
      'KeyPolicy for {"Fn::Join":["",["logs.",{"Ref":"AWS::Region"},".",{"Ref":"AWS::URLSuffix"}]]}',
      'PolicyDocument for "events.amazonaws.com"',
      'for apigateway.amazonaws.com',
    ]);
  });

  test('without such a condition is found', () => {
    const stack = new Stack(new App(), 'Careless');
    new Role(stack, 'AnyonesRole', { assumedBy: new ServicePrincipal('events.amazonaws.com') });
    new CfnResource(stack, 'AnyonesPermission', {
      type: 'AWS::Lambda::Permission',
      properties: { Principal: 'sns.amazonaws.com' },
    });

    expect(withoutSource(trustsIn(Template.fromStack(stack)))).toEqual([
      expect.stringMatching(/^AnyonesRole/),
      expect.stringMatching(/^AnyonesPermission/),
    ]);
  });
});

describe('A trust policy', () => {
  const strict = everything.flatMap((template) =>
    Object.values(template.findResources('AWS::IAM::Role'))
      .flatMap(({ Properties }) => policyDocument.parse(Properties.AssumeRolePolicyDocument).Statement)
      .filter(({ Condition }) => Object.keys(Condition).some((operator) => !operator.endsWith('IfExists')))
      .map(({ Principal }) => (typeof Principal === 'object' ? String(Principal.Service) : '')),
  );

  test('requires a source only of services that are documented to name one, so that every role can be assumed', () => {
    expect([...new Set(strict)].toSorted()).toEqual(Object.keys(NAMES_SOURCE));
  });
});

describe('A role that EventBridge, Scheduler, or CodeDeploy assumes', () => {
  test("names the source itself: the event bus's rules, the schedule group, or the application", () => {
    const roles = everything.flatMap((template) =>
      Object.values(template.findResources('AWS::IAM::Role')).flatMap(
        ({ Properties }) => policyDocument.parse(Properties.AssumeRolePolicyDocument).Statement,
      ),
    );
    const sources = roles.map(({ Principal, Condition }) =>
      JSON.stringify([Principal, Condition], (_, value) =>
        typeof value === 'object' && value !== null && 'Fn::Join' in value
          ? value['Fn::Join'][1].map(written).join('')
          : value,
      ),
    );

    const resources = sources.map((source) => /aws:SourceArn":"[^"]*?([^:"]+)"/.exec(source)?.[1] ?? 'of the account');
    expect([...new Set(resources)].toSorted()).toEqual([
      // CodeDeploy's: the deployment groups of an application
      'X/*',
      // Lambda's
      'of the account',
      'rule/X/*',
      // An existing event bus's
      'rule/company/*',
      'schedule-group/Parley-dev',
      'schedule-group/Parley-prod',
      'schedule-group/default',
    ]);
  });
});

const written = (part: unknown): string => (typeof part === 'string' ? part : 'X');
