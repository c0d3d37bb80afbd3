import { App, type Environment, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { describe, expect, test } from 'vitest';
import { ParleyStack } from '../../../lib/index.ts';
import { LOCAL_RUN_CONTEXT } from '../../../lib/settings/check-production.ts';
import { statementsOf } from './iam-statements.ts';
import { VALID } from './settings/valid-settings.ts';
import {
  BUS,
  KEY,
  type Share,
  STREAM,
  shareAll,
  shareBus,
  shareDomainName,
  shareKey,
  shareTable,
  shareTableWithKey,
  shareVpc,
  TABLE,
} from './shared-resources.ts';
import { inTemporaryFolder, logicalIdOf, synthesizedStack } from './synthesized-stack.ts';

const ACCOUNT = '111122223333';
const TARGETS = [{ kind: 'sqs', queueArn: `arn:aws:sqs:eu-west-1:${ACCOUNT}:crm` }];

/** The variables of all functions, by name. */
const variablesIn = (template: Template, name: string): unknown[] =>
  Object.values(template.findResources('AWS::Lambda::Function')).flatMap(
    ({ Properties }) => Properties.Environment.Variables[name] ?? [],
  );

/** The statements with the ARN of a resource that the stack creates instead of one that exists. */
const withArns = (template: Template, replaced: Readonly<Record<string, string>>): string[] =>
  statementsOf(template)
    .map((line) => Object.entries(replaced).reduce((text, [own, arn]) => text.replaceAll(own, arn), line))
    .toSorted();

test('A stage without existing resources has no output about them', () => {
  const { Outputs } = synthesizedStack('prod').template.toJSON();

  expect(Object.keys(Outputs).filter((name) => name.startsWith('Existing'))).toEqual([]);
});

describe('A stage with an existing table', () => {
  const { template } = synthesizedStack('prod', {}, { share: shareTable() });

  test('neither creates nor manages a table', () => {
    template.resourceCountIs('AWS::DynamoDB::Table', 0);
    template.resourceCountIs('AWS::KMS::Key', 0);
  });

  test('uses it by its name, publishes from its stream, and shows its metrics', () => {
    expect(variablesIn(template, 'TABLE_NAME')).toEqual(['messaging', 'messaging', 'messaging']);
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', { EventSourceArn: STREAM });
    expect(JSON.stringify(template.findResources('AWS::CloudWatch::Dashboard'))).toContain(
      String.raw`\"ReadThrottleEvents\",\"TableName\",\"messaging\"`,
    );
  });

  test('grants exactly the same on it as on a table of its own', () => {
    const own = withArns(synthesizedStack('prod').template, { 'Table.Arn': TABLE, 'Table.StreamArn': STREAM });

    expect(statementsOf(template)).toEqual(own);
  });

  test('lets the functions use the key of the table through DynamoDB, and no other key', () => {
    const withKey = synthesizedStack('prod', {}, { share: shareTableWithKey }).template;
    const uses = statementsOf(withKey).filter((line) => line.includes('kms:'));

    expect(uses.map((line) => line.replace(/^KeyUse(\w+)FunctionRole[0-9a-f]{8}: Allow .* on /, '$1 on '))).toEqual(
      ['Management', 'Publisher', 'Receiver', 'Sender'].map(
        (name) => `${name} on ${KEY} if {"StringEquals":{"kms:ViaService":"dynamodb.AWS::Region.AWS::URLSuffix"}}`,
      ),
    );
    expect(statementsOf(withKey).filter((line) => !line.includes('kms:'))).toEqual(statementsOf(template));
  });

  test('names it in the outputs, for parley', () => {
    template.hasOutput('TableName', { Value: 'messaging' });
    template.hasOutput('ExistingTableArn', { Value: TABLE });
  });
});

describe('A stage with an existing event bus', () => {
  const { template } = synthesizedStack('prod', { events: { targets: TARGETS } }, { share: shareBus });

  test('creates no bus, publishes on that one, and adds its rules to it', () => {
    template.resourceCountIs('AWS::Events::EventBus', 0);
    expect(variablesIn(template, 'EVENT_BUS_NAME')).toEqual(['company', 'company']);
    template.allResourcesProperties('AWS::Events::Rule', { EventBusName: 'company' });
  });

  test('grants exactly the same on it as on a bus of its own', () => {
    const own = synthesizedStack('prod', { events: { targets: TARGETS } }).template;

    const replaced = { 'PublisherEventBus.Arn': BUS, 'rule/PublisherEventBus/': 'rule/company/' };
    expect(statementsOf(template)).toEqual(withArns(own, replaced));
  });

  test('trusts the rules of the default bus, whose ARNs do not contain it, and not those of other buses', () => {
    const onDefaultBus = synthesizedStack(
      'prod',
      { events: { targets: TARGETS } },
      { share: (scope) => ({ eventBus: EventBus.fromEventBusName(scope, 'Default', 'default') }) },
    ).template;
    const trusted = statementsOf(onDefaultBus).filter((line) => line.includes(' to events.amazonaws.com'));

    expect(trusted).not.toEqual([]);
    const [every, ofOtherBuses] = ['rule/*', 'rule/*/*'].map(
      (rules) => `{"aws:SourceArn":"arn:AWS::Partition:events:AWS::Region:AWS::AccountId:${rules}"}`,
    );
    for (const line of trusted) expect(line).toContain(`"ArnLike":${every},"ArnNotLike":${ofOtherBuses}`);
  });

  test('lets EventBridge assume roles for the rules of that bus only', () => {
    const trust = JSON.stringify(template.findResources('AWS::IAM::Role', { Condition: logicalIdOf('Publisher.*') }));

    expect(trust).toContain(':rule/company/*');
    expect(trust).not.toContain('rule/Parley-prod');
  });

  test('has a key that EventBridge may use for dead letters, but not for a bus', () => {
    const services = (hasTargets: boolean) =>
      statementsOf(
        synthesizedStack(
          'prod',
          { customerManagedKey: true, events: { targets: hasTargets ? TARGETS : [] } },
          { share: shareBus },
        ).template,
      ).filter((line) => line.startsWith('TableKey: ') && line.includes('events.amazonaws.com'));

    expect(services(false)).toEqual([]);
    expect(services(true)).toEqual([expect.stringContaining('"kms:EncryptionContext:aws:sqs:arn"')]);
  });
});

describe('A stage with an existing key', () => {
  const { template } = synthesizedStack('prod', { events: { targets: TARGETS } }, { share: shareKey });

  test('encrypts everything with it that a key of its own would encrypt', () => {
    const own = synthesizedStack('prod', { customerManagedKey: true, events: { targets: TARGETS } }).template;
    const asExisting = JSON.stringify(own.toJSON().Resources).replaceAll(
      JSON.stringify({ 'Fn::GetAtt': ['TableKeyF581D96F', 'Arn'] }),
      JSON.stringify(KEY),
    );
    const { TableKeyF581D96F: _key, ...resources } = JSON.parse(asExisting);
    // The policies that let roles use a key are named after it.
    const resourcesOf = (all: object): Record<string, { DependsOn?: string[] }> =>
      JSON.parse(JSON.stringify(all).replaceAll(/(KeyUse\w+?)[0-9a-f]{8}[0-9A-F]{8}\b/g, '$1'));
    const sorted = (all: object) =>
      Object.entries(resourcesOf(all)).map(([id, one]) => [id, { ...one, DependsOn: one.DependsOn?.toSorted() }]);

    expect(Object.fromEntries(sorted(template.toJSON().Resources))).toEqual(Object.fromEntries(sorted(resources)));
  });

  test('creates no key, and names the existing one in the outputs', () => {
    template.resourceCountIs('AWS::KMS::Key', 0);
    template.hasOutput('EncryptionKeyArn', { Value: KEY });
    template.hasOutput('ExistingKeyArn', { Value: KEY });
  });
});

describe('An existing resource', () => {
  const inStack = (env: Environment, share: Share) => () => synthesizedStack('prod', {}, { env, share });

  test.each([
    { property: 'table', share: shareTable() },
    { property: 'eventBus', share: shareBus },
    { property: 'encryptionKey', share: shareKey },
  ])('of another region than that of the stack is rejected: $property', ({ property, share }) => {
    expect(inStack({ account: ACCOUNT, region: 'us-east-1' }, share)).toThrow(
      new RegExp(`^Parley-prod\\.${property}: got ".*", expected one in the stack's region us-east-1\\.$`),
    );
  });

  test('of another account is rejected, unless it is a key, which another account can share', () => {
    const env = { account: '444455556666', region: 'eu-west-1' };

    expect(inStack(env, shareTable())).toThrow(/\.table: got .*the stack's account 444455556666\.$/);
    expect(inStack(env, shareBus)).toThrow(/\.eventBus: got /);
    expect(inStack(env, shareKey)).not.toThrow();
  });

  test('that is a key is rejected together with one that the stack creates', () => {
    expect(() => synthesizedStack('prod', { customerManagedKey: true }, { share: shareKey })).toThrow(
      'Parley-prod.customerManagedKey: got true, expected false with the property encryptionKey.',
    );
  });

  test('can belong to another stack of the app', () => {
    const { template } = synthesizedStack(
      'prod',
      {},
      { share: (shared) => ({ eventBus: new EventBus(shared, 'Bus') }) },
    );

    template.resourceCountIs('AWS::Events::EventBus', 0);
    template.hasOutput('EventBusName', { Value: { 'Fn::GetStackOutput': Match.objectLike({ StackName: 'Shared' }) } });
  });

  test('is ignored by the local run, which names it', () => {
    const everything = shareAll(shareTable(), shareBus, shareKey, shareVpc, shareDomainName);
    const local = (share: Share) =>
      inTemporaryFolder((outdir) => {
        const app = new App({ outdir, context: { 'aws:cdk:bundling-stacks': [], [LOCAL_RUN_CONTEXT]: true } });
        const existing = share(new Stack(app, 'Shared'));
        return Template.fromStack(new ParleyStack(app, 'Messaging', { settings: VALID, ...existing })).toJSON();
      });
    const { Metadata, ...template } = local(everything);

    expect(template).toEqual(local(() => ({})));
    expect(Metadata).toEqual({ ParleyIgnored: ['table', 'eventBus', 'encryptionKey', 'domainMapping', 'vpc'] });
  });
});
