import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { ParleyStack } from '../../../lib/index.ts';
import { statementsOf } from './iam-statements.ts';
import { VALID } from './settings/valid-settings.ts';
import { inTemporaryFolder, logicalIdOf, synthesizedStack } from './synthesized-stack.ts';

const ACCOUNT = '111122223333';
const TABLE = `arn:aws:dynamodb:eu-west-1:${ACCOUNT}:table/messaging`;
const STREAM = `${TABLE}/stream/2026-11-20T12:00:00.000`;
const BUS = `arn:aws:events:eu-west-1:${ACCOUNT}:event-bus/company`;
const KEY = `arn:aws:kms:eu-west-1:${ACCOUNT}:key/1234abcd-12ab-34cd-56ef-1234567890ab`;
const TARGETS = [{ kind: 'sqs', queueArn: `arn:aws:sqs:eu-west-1:${ACCOUNT}:crm` }];
const table = { tableArn: TABLE, tableStreamArn: STREAM };

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

describe('A stage without existing resources', () => {
  test('has the same template as before there was such a setting', () => {
    const { template } = synthesizedStack('prod');

    expect(JSON.stringify(synthesizedStack('prod', { existing: {} }).template)).toBe(JSON.stringify(template));
    expect(Object.keys(template.toJSON().Outputs).filter((name) => name.startsWith('Existing'))).toEqual([]);
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': ['TableCD117FA1', 'StreamArn'] },
    });
  });
});

describe('A stage with an existing table', () => {
  const { template } = synthesizedStack('prod', { existing: table });

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
    const withKey = synthesizedStack('prod', { existing: { ...table, tableKeyArn: KEY } }).template;
    const uses = statementsOf(withKey).filter((line) => line.includes('kms:'));

    expect(uses.map((line) => line.replace(/^(\w+)FunctionRoleDefaultPolicy: Allow .* on /, '$1 on '))).toEqual(
      ['Management', 'Publisher', 'Receiver', 'Sender'].map(
        (name) => `${name} on ${KEY} if {"StringEquals":{"kms:ViaService":"dynamodb.AWS::Region.amazonaws.com"}}`,
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
  const settings = { existing: { eventBusArn: BUS }, events: { targets: TARGETS } };
  const { template } = synthesizedStack('prod', settings);

  test('creates no bus, publishes on that one, and adds its rules to it', () => {
    template.resourceCountIs('AWS::Events::EventBus', 0);
    expect(variablesIn(template, 'EVENT_BUS_NAME')).toEqual(['company', 'company']);
    template.allResourcesProperties('AWS::Events::Rule', { EventBusName: 'company' });
  });

  test('grants exactly the same on it as on a bus of its own', () => {
    const own = synthesizedStack('prod', { events: { targets: TARGETS } }).template;

    expect(statementsOf(template)).toEqual(withArns(own, { 'PublisherEventBus.Arn': BUS }));
  });

  test('lets EventBridge assume roles for the rules of that bus only', () => {
    const trust = JSON.stringify(template.findResources('AWS::IAM::Role', { Condition: logicalIdOf('Publisher.*') }));

    expect(trust).toContain(':rule/company/*');
    expect(trust).not.toContain('rule/Parley-prod');
  });

  test('has a key that EventBridge may use for dead letters, but not for a bus', () => {
    const services = (hasTargets: boolean) =>
      statementsOf(
        synthesizedStack('prod', {
          existing: { eventBusArn: BUS },
          customerManagedKey: true,
          events: { targets: hasTargets ? TARGETS : [] },
        }).template,
      ).filter((line) => line.startsWith('TableKey: ') && line.includes('events.amazonaws.com'));

    expect(services(false)).toEqual([]);
    expect(services(true)).toEqual([expect.stringContaining('"kms:EncryptionContext:aws:sqs:arn"')]);
  });
});

describe('A stage with an existing key', () => {
  const { template } = synthesizedStack('prod', { existing: { keyArn: KEY }, events: { targets: TARGETS } });

  test('encrypts everything with it that a key of its own would encrypt', () => {
    const own = synthesizedStack('prod', { customerManagedKey: true, events: { targets: TARGETS } }).template;
    const asExisting = JSON.stringify(own.toJSON().Resources).replaceAll(
      JSON.stringify({ 'Fn::GetAtt': ['TableKeyF581D96F', 'Arn'] }),
      JSON.stringify(KEY),
    );
    const { TableKeyF581D96F: _key, ...resources } = JSON.parse(asExisting);

    expect(template.toJSON().Resources).toEqual(resources);
  });

  test('creates no key, and names the existing one in the outputs', () => {
    template.resourceCountIs('AWS::KMS::Key', 0);
    template.hasOutput('EncryptionKeyArn', { Value: KEY });
    template.hasOutput('ExistingKeyArn', { Value: KEY });
  });
});

describe('An existing resource', () => {
  const synthesize = (existing: object, env: object, context: object = {}) =>
    inTemporaryFolder((outdir) => {
      const app = new App({ outdir, context: { 'aws:cdk:bundling-stacks': [], ...context } });
      return Template.fromStack(new ParleyStack(app, 'Messaging', { settings: { ...VALID, existing }, env }));
    });

  test.each([
    { existing: table, setting: 'tableArn' },
    { existing: { eventBusArn: BUS }, setting: 'eventBusArn' },
    { existing: { keyArn: KEY }, setting: 'keyArn' },
  ])('of another region than that of the stack is rejected: $setting', ({ existing, setting }) => {
    expect(() => synthesize(existing, { account: ACCOUNT, region: 'us-east-1' })).toThrow(
      new RegExp(`^Messaging\\.existing\\.${setting}: got ".*", expected one in the stack's region us-east-1\\.$`),
    );
  });

  test('of another account is rejected, unless it is a key, which another account can share', () => {
    const env = { account: '444455556666', region: 'eu-west-1' };

    expect(() => synthesize(table, env)).toThrow(/existing\.tableArn: got .*the stack's account 444455556666\.$/);
    expect(() => synthesize({ eventBusArn: BUS }, env)).toThrow(/existing\.eventBusArn: got /);
    expect(() => synthesize({ keyArn: KEY }, env)).not.toThrow();
  });

  test('is created in the local run: a table with the same keys and indexes, and a bus', () => {
    const local = synthesize({ ...table, eventBusArn: BUS }, {}, { 'parley:localRun': true });
    const own = synthesize({}, {}, { 'parley:localRun': true });

    expect(local.toJSON()).toEqual(own.toJSON());
  });
});
