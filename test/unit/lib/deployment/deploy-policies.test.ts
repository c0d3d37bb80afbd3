import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deployPolicies, UNUSED } from './deploy-policies.ts';
import { stageResources, typesOf } from './stage-resources.ts';

const FOLDER = new URL('../../../../docs/policies/deploy/', import.meta.url);

/** Written by `npm run deploy-policies`. */
const handlerActions = z
  .record(z.string(), z.object({ read: z.array(z.string()), write: z.array(z.string()) }))
  .parse(JSON.parse(readFileSync(new URL('handler-actions.json', import.meta.url), 'utf8')));
const resources = stageResources();
const types = typesOf(resources);
const actionsOf = (kind: 'read' | 'write') => types.flatMap((type) => handlerActions[type]?.[kind] ?? []);
const needed = { read: actionsOf('read'), write: actionsOf('write') };
const policies = Object.entries(deployPolicies(needed)).map(([name, policy]) => ({ name, policy }));
const statements = policies.flatMap(
  ({ policy }) =>
    z
      .object({ Statement: z.array(z.object({ Action: z.array(z.string()), Resource: z.array(z.string()) })) })
      .parse(policy).Statement,
);

/** Returns the resources on which the policies allow an action. IAM does not distinguish upper and lower case. */
const resourcesFor = (action: string): readonly string[] =>
  statements
    .filter(({ Action }) => Action.some((one) => one.toLowerCase() === action.toLowerCase()))
    .flatMap(({ Resource }) => Resource);

/** The limit of a managed policy, without white space. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const MAX_CHARACTERS = 6_144;

if (process.env.WRITE_DEPLOY_POLICIES) {
  for (const { name, policy } of policies) {
    writeFileSync(new URL(`${name}.json`, FOLDER), `${JSON.stringify(policy, undefined, 2)}\n`);
  }
}

describe('The policies for deployments', () => {
  test('cover every resource type of every variant', () => {
    expect(Object.keys(handlerActions)).toEqual(types);
    expect(types.filter((type) => !handlerActions[type]?.write.length)).toEqual([]);
  });

  test.each(policies)('are in docs/policies/deploy/$name.json, which "npm run deploy-policies" writes', (one) => {
    const file = new URL(`${one.name}.json`, FOLDER);
    expect(existsSync(file) && JSON.parse(readFileSync(file, 'utf8'))).toEqual(one.policy);
  });

  test.each(policies)('fit into a managed policy: $name', ({ policy }) => {
    // The placeholders are about as long as what replaces them, except REGION and ACCOUNT.
    const resolved = JSON.stringify(policy)
      .replaceAll('REGION', 'ap-southeast-2')
      .replaceAll('ACCOUNT', '111122223333')
      .replaceAll('STAGE', 'production');
    expect(resolved.length).toBeLessThanOrEqual(MAX_CHARACTERS);
  });

  test('leave out only actions that CloudFormation would need for features that no template uses', () => {
    const outdated = UNUSED.filter(([, pattern]) => !needed.write.some((action) => pattern.test(action)));
    expect(outdated.map(([feature]) => feature)).toEqual([]);
  });

  test('allow everything that CloudFormation does to read a resource, whatever properties it has', () => {
    expect(needed.read.filter((action) => resourcesFor(action).length === 0)).toEqual([]);
  });

  test('let CloudFormation delete the schedules of the group that a stage creates', () => {
    // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoneventbridgescheduler.html
    const groups = new Set(
      resources
        .filter(({ Type }) => Type === 'AWS::Scheduler::ScheduleGroup')
        .map(({ Properties }) => z.object({ Name: z.string() }).parse(Properties).Name)
        .map((name) => name.replace(/^Parley-(dev|prod)$/, 'Parley-STAGE')),
    );

    expect(needed.write).toContain('scheduler:DeleteScheduleGroup');
    expect(groups.size).toBeGreaterThan(0);
    for (const group of groups) {
      expect(resourcesFor('scheduler:DeleteScheduleGroup')).toContain(
        `arn:aws:scheduler:REGION:ACCOUNT:schedule-group/${group}`,
      );
      expect(resourcesFor('scheduler:DeleteSchedule')).toContain(
        `arn:aws:scheduler:REGION:ACCOUNT:schedule/${group}/*`,
      );
    }
  });

  test('let CloudFormation read outputs of other stacks, because templates refer to them', () => {
    expect(JSON.stringify(resources)).toContain('"Fn::GetStackOutput"');
    expect(resourcesFor('cloudformation:DescribeStacks')).toEqual(['arn:aws:cloudformation:REGION:ACCOUNT:stack/*']);
  });

  test('let CloudFormation change only roles of the stage, and pass no others', () => {
    const ofRoles = statements.filter(({ Action }) => Action.some((action) => action.startsWith('iam:')));
    expect(ofRoles.map(({ Resource }) => Resource)).toEqual([
      ['arn:aws:iam::ACCOUNT:role/aws-service-role/*'],
      ['arn:aws:iam::ACCOUNT:role/Parley-STAGE-*'],
    ]);
  });
});

describe('A permissions boundary', () => {
  test('must allow the services that docs/delivery.md names, which are those that the roles of a stage use', () => {
    const policies = resources.filter(({ Type }) => Type.startsWith('AWS::IAM::')).map(({ Properties }) => Properties);
    const prefixes = [...JSON.stringify(policies).matchAll(/"([a-z0-9]+):[A-Z]\w+"/g)].map(([, prefix]) => prefix);
    const used = [...new Set(prefixes)].filter((prefix) => prefix !== 'aws' && prefix !== 'sts').toSorted();
    const page = readFileSync(new URL('../../../../docs/delivery.md', import.meta.url), 'utf8');
    expect(page.replaceAll(/\s+/g, ' ')).toContain(used.map((prefix) => `\`${prefix}\``).join(', '));
  });
});
