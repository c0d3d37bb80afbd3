import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deployPolicies, UNUSED } from './deploy-policies.ts';
import { stageResources, typesOf } from './stage-resources.ts';

const FOLDER = new URL('../../../../docs/policies/deploy/', import.meta.url);

/** Written by `npm run deploy-policies`. */
const handlerActions = z
  .record(z.string(), z.array(z.string()))
  .parse(JSON.parse(readFileSync(new URL('handler-actions.json', import.meta.url), 'utf8')));
const resources = stageResources();
const types = typesOf(resources);
const actions = types.flatMap((type) => handlerActions[type] ?? []);
const policies = Object.entries(deployPolicies(actions)).map(([name, policy]) => ({ name, policy }));

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
    expect(types.filter((type) => (handlerActions[type] ?? []).length === 0)).toEqual([]);
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
    const outdated = UNUSED.filter(([, pattern]) => !actions.some((action) => pattern.test(action)));
    expect(outdated.map(([feature]) => feature)).toEqual([]);
  });

  test('let CloudFormation change only roles of the stage, and pass no others', () => {
    const [{ policy } = { policy: {} }] = policies.filter(({ name }) => name === 'functions');
    const { Statement } = z
      .object({ Statement: z.array(z.object({ Action: z.array(z.string()), Resource: z.array(z.string()) })) })
      .parse(policy);
    const ofRoles = Statement.filter(({ Action }) => Action.some((action) => action.startsWith('iam:')));
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
