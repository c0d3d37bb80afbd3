import { readFileSync } from 'node:fs';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { ROUTES, type RouteName } from '../../../lambdas/manage/routes.ts';
import { isAllowed } from './policy-evaluation.ts';
import { synthesizedStack } from './synthesized-stack.ts';

const { template } = synthesizedStack('prod');
const ofTheApi = { ApiId: { Ref: Match.stringLikeRegexp('^ManagementApi') } };

describe('The management API', () => {
  const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route', { Properties: ofTheApi }));

  test('has the routes that the function answers, and asks of each for a signature', () => {
    expect(routes.map(({ Properties }) => Properties.RouteKey).toSorted()).toEqual(Object.values(ROUTES).toSorted());
    expect(routes.map(({ Properties }) => Properties.AuthorizationType)).toEqual(routes.map(() => 'AWS_IAM'));
  });

  test('leads every route to manage, and lets no other API call it', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Integration', {
      ...ofTheApi,
      IntegrationUri: { 'Fn::GetAtt': [Match.stringLikeRegexp('^ManagementManageFunction'), 'Arn'] },
      PayloadFormatVersion: '2.0',
    });
    const permissions = Object.values(
      template.findResources('AWS::Lambda::Permission', {
        Properties: { FunctionName: { 'Fn::GetAtt': [Match.stringLikeRegexp('^ManagementManageFunction'), 'Arn'] } },
      }),
    );
    expect(permissions.length).toBeGreaterThan(0);
    for (const { Properties } of permissions) {
      expect(JSON.stringify(Properties.SourceArn)).toContain('ManagementApi');
    }
  });

  test('logs who called what and how it ended, and no path: paths name users', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage', { Properties: ofTheApi }));
    const format = Object.values(JSON.parse(stage?.Properties.AccessLogSettings.Format));

    expect(format).toEqual(
      expect.arrayContaining(['$context.identity.userArn', '$context.routeKey', '$context.status']),
    );
    expect(format).not.toEqual(expect.arrayContaining(['$context.path']));
  });

  test('gives an erasure room: its queue brings it back as often as SQS allows', () => {
    template.hasResourceProperties('AWS::SQS::Queue', {
      RedrivePolicy: {
        deadLetterTargetArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^ManagementErasuresDeadLetterQueue'), 'Arn'] },
        maxReceiveCount: 1000,
      },
    });
  });
});

const example = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../docs/policies/${name}.json`, import.meta.url), 'utf8'));

/** The principals of docs/management-api.md, with the policies that it attaches to them. */
const PRINCIPALS: Readonly<Record<string, readonly unknown[]>> = {
  'orders-service': [example('internal-system')],
  'support-desk': [example('support-desk')],
  operator: [example('operator')],
  'a role without a policy': [],
};

const INVOKE = 'execute-api:Invoke';
const arnOf = (routeKey: string, apiId = 'API-ID') => {
  const [method, path] = routeKey.split(' ');
  return `arn:aws:execute-api:REGION:ACCOUNT:${apiId}/$default/${method}${path?.replace(/\{[^}]+\}/, '+5491150000001')}`;
};
const EVERY_ROUTE = Object.keys(ROUTES);
const READS = Object.entries(ROUTES).flatMap(([name, key]) => (key.startsWith('GET ') ? [name] : []));

describe('The example policies', () => {
  test.each<{ principal: string; admitted: readonly string[] }>([
    {
      principal: 'orders-service',
      admitted: ['cancelSend', 'enqueueSend', 'getSend', 'optIn', 'optOut'] satisfies RouteName[],
    },
    { principal: 'support-desk', admitted: READS },
    { principal: 'operator', admitted: EVERY_ROUTE },
    { principal: 'a role without a policy', admitted: [] },
  ])('admit $principal to these routes and no other: $admitted', ({ principal, admitted }) => {
    const documents = PRINCIPALS[principal] ?? [];
    const entered = Object.entries(ROUTES).flatMap(([name, key]) =>
      isAllowed(documents, INVOKE, arnOf(key)) ? [name] : [],
    );

    expect(entered.toSorted()).toEqual([...admitted].toSorted());
  });

  test('admit nobody to another API of the account', () => {
    for (const documents of Object.values(PRINCIPALS)) {
      for (const key of Object.values(ROUTES)) expect(isAllowed(documents, INVOKE, arnOf(key, 'other'))).toBe(false);
    }
  });

  test('let the operator replace the token and not read it, and nobody else do either', () => {
    const secret = 'arn:aws:secretsmanager:REGION:ACCOUNT:secret:SendingAccessToken19D75F3B-a1b2c3';
    const may = (principal: string, action: string) => isAllowed(PRINCIPALS[principal] ?? [], action, secret);

    expect(may('operator', 'secretsmanager:PutSecretValue')).toBe(true);
    expect(may('operator', 'secretsmanager:GetSecretValue')).toBe(false);
    expect(may('orders-service', 'secretsmanager:PutSecretValue')).toBe(false);
  });
});

describe('The evaluation of a policy', () => {
  const allow = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 'a:*', Resource: '*' }] };
  const deny = { Version: '2012-10-17', Statement: [{ Effect: 'Deny', Action: 'a:B', Resource: 'x/?' }] };

  test('refuses what is denied, whatever allows it', () => {
    expect(isAllowed([allow, deny], 'a:B', 'x/1')).toBe(false);
    expect(isAllowed([allow, deny], 'a:B', 'x/12')).toBe(true);
    expect(isAllowed([allow], 'b:B', 'x/1')).toBe(false);
  });

  test('does not pretend to understand a condition', () => {
    const [statement] = allow.Statement;
    const conditional = { ...allow, Statement: [{ ...statement, Condition: {} }] };
    expect(() => isAllowed([conditional], 'a:B', 'x')).toThrow();
  });
});
