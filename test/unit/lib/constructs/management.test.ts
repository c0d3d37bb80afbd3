import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RouteName } from '../../../../lambdas/manage/api/route-name.ts';
import { ROUTES } from '../../../../lambdas/manage/api/routes.ts';
import { isAllowed } from '../policy-evaluation.ts';
import { logicalIdOf, synthesizedStack } from '../synthesized-stack.ts';

const { template } = synthesizedStack('prod');
const MANAGEMENT_API = { ApiId: { Ref: logicalIdOf('ManagementApi') } };

describe('The management API', () => {
  const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route', { Properties: MANAGEMENT_API }));

  test('has exactly the routes that the function answers, all with IAM authorization', () => {
    expect(routes.map(({ Properties }) => Properties.RouteKey).toSorted()).toEqual(
      Object.values(ROUTES)
        .map(({ route }) => route)
        .toSorted(),
    );
    expect(routes.map(({ Properties }) => Properties.AuthorizationType)).toEqual(routes.map(() => 'AWS_IAM'));
  });

  test('routes everything to the function, which no other API may invoke', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Integration', {
      ...MANAGEMENT_API,
      IntegrationUri: { 'Fn::GetAtt': [logicalIdOf('ManagementFunction'), 'Arn'] },
      PayloadFormatVersion: '2.0',
    });
    const permissions = Object.values(
      template.findResources('AWS::Lambda::Permission', {
        Properties: { FunctionName: { 'Fn::GetAtt': [logicalIdOf('ManagementFunction'), 'Arn'] } },
      }),
    );
    expect(permissions.length).toBeGreaterThan(0);
    for (const { Properties } of permissions) {
      expect(JSON.stringify(Properties.SourceArn)).toContain('ManagementApi');
    }
  });

  test('logs the caller, the route and the status, but no path, since paths contain contact ids', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage', { Properties: MANAGEMENT_API }));
    const format = Object.values(JSON.parse(stage?.Properties.AccessLogSettings.Format));

    expect(format).toEqual(
      expect.arrayContaining(['$context.identity.userArn', '$context.routeKey', '$context.status']),
    );
    expect(format).not.toEqual(expect.arrayContaining(['$context.path']));
  });

  test('gives an erasure as many passes as SQS allows receives', () => {
    template.hasResourceProperties('AWS::SQS::Queue', {
      RedrivePolicy: {
        deadLetterTargetArn: { 'Fn::GetAtt': [logicalIdOf('ManagementErasureQueueDeadLetters'), 'Arn'] },
        maxReceiveCount: 1000,
      },
    });
  });
});

const example = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../../docs/policies/${name}.json`, import.meta.url), 'utf8'));

/** The principals of docs/management-api.md and their policies. */
const PRINCIPALS: Readonly<Record<string, readonly unknown[]>> = {
  'orders-service': [example('internal-system')],
  'billing-service': [example('confined-system')],
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
const READS = Object.entries(ROUTES).flatMap(([name, { route }]) => (route.startsWith('GET ') ? [name] : []));

describe('The example policies', () => {
  test.each<{ principal: string; allowed: readonly string[] }>([
    {
      principal: 'orders-service',
      allowed: ['cancelSend', 'enqueueSend', 'forecastSends', 'getSend', 'optIn', 'optOut'] satisfies RouteName[],
    },
    // Its own sends only, and this one is not.
    { principal: 'billing-service', allowed: [] },
    { principal: 'support-desk', allowed: READS },
    { principal: 'operator', allowed: EVERY_ROUTE },
    { principal: 'a role without a policy', allowed: [] },
  ])('allow $principal to call these routes and no other: $allowed', ({ principal, allowed }) => {
    const documents = PRINCIPALS[principal] ?? [];
    const invocable = Object.entries(ROUTES).flatMap(([name, { route }]) =>
      isAllowed(documents, INVOKE, arnOf(route)) ? [name] : [],
    );

    expect(invocable.toSorted()).toEqual([...allowed].toSorted());
  });

  test('allow a scan to decrypt what it reads with a customer managed key, and nothing else with that key', () => {
    expect(example('erasure-scan')).toMatchObject({
      Statement: expect.arrayContaining([
        expect.objectContaining({
          Action: 'kms:Decrypt',
          Condition: {
            StringEquals: {
              'kms:ViaService': ['dynamodb', 'scheduler', 'sqs'].map((service) => `${service}.REGION.amazonaws.com`),
            },
          },
        }),
      ]),
    });
  });

  test("of a customer managed key cover only the operator's use of queues and secrets", () => {
    const use = (service: string) =>
      expect.objectContaining({
        Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
        Resource: 'arn:aws:kms:REGION:ACCOUNT:key/KEY-ID',
        Condition: { StringEquals: { 'kms:ViaService': `${service}.REGION.amazonaws.com` } },
      });

    expect(example('customer-managed-key')).toMatchObject({ Statement: [use('sqs'), use('secretsmanager')] });
  });

  test('allow only the operator to read the limits that doctor shows', () => {
    const limits = [
      ['lambda:GetAccountSettings', '*'],
      ['apigateway:GET', 'arn:aws:apigateway:REGION::/apis/API-ID/stages/$default'],
      ['apigateway:GET', 'arn:aws:apigateway:REGION::/apis/WEBHOOK-API-ID/stages/$default'],
    ] as const;
    const may = (principal: string) =>
      limits.map(([action, resource]) => isAllowed(PRINCIPALS[principal] ?? [], action, resource));

    expect(may('operator')).toEqual([true, true, true]);
    expect(may('orders-service')).toEqual([false, false, false]);
  });

  test('allow nobody to call another API of the account', () => {
    for (const documents of Object.values(PRINCIPALS)) {
      for (const { route } of Object.values(ROUTES)) {
        expect(isAllowed(documents, INVOKE, arnOf(route, 'other'))).toBe(false);
      }
    }
  });

  test('allow only the operator to replace the access token, and nobody to read it', () => {
    const secret = 'ACCESS-TOKEN-SECRET-ID';
    const may = (principal: string, action: string) => isAllowed(PRINCIPALS[principal] ?? [], action, secret);

    expect(may('operator', 'secretsmanager:PutSecretValue')).toBe(true);
    expect(may('operator', 'secretsmanager:GetSecretValue')).toBe(false);
    expect(may('orders-service', 'secretsmanager:PutSecretValue')).toBe(false);
  });
});

describe('The evaluation of policies', () => {
  const allow = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 'a:*', Resource: '*' }] };
  const deny = { Version: '2012-10-17', Statement: [{ Effect: 'Deny', Action: 'a:B', Resource: 'x/?' }] };

  test('denies what a Deny matches, even if an Allow matches too', () => {
    expect(isAllowed([allow, deny], 'a:B', 'x/1')).toBe(false);
    expect(isAllowed([allow, deny], 'a:B', 'x/12')).toBe(true);
    expect(isAllowed([allow], 'b:B', 'x/1')).toBe(false);
  });

  test('rejects a policy with a condition, which it cannot evaluate', () => {
    const [statement] = allow.Statement;
    const conditional = { ...allow, Statement: [{ ...statement, Condition: {} }] };
    expect(() => isAllowed([conditional], 'a:B', 'x')).toThrow();
  });
});
