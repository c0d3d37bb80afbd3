import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { MAX_ERASURE_INVOCATIONS, MAX_INBOUND_INVOCATIONS } from '../../../../lib/settings/flood-settings.ts';
import { logicalIdOf, synthesizedStack } from '../synthesized-stack.ts';

const STAGE = 'AWS::ApiGatewayV2::Stage';
const FUNCTION = 'AWS::Lambda::Function';

describe('A stage without limits', () => {
  const { template } = synthesizedStack('prod');

  test('throttles no API and reserves no concurrency, because both can refuse authentic requests', () => {
    template.allResourcesProperties(STAGE, { DefaultRouteSettings: Match.absent() });
    template.allResourcesProperties(FUNCTION, { ReservedConcurrentExecutions: Match.absent() });
  });
});

describe('The setting webhook.throttle', () => {
  test('limits the webhook, and only it', () => {
    const { template } = synthesizedStack('prod', { webhook: { throttle: { requestsPerSecond: 50, burst: 100 } } });

    template.hasResourceProperties(STAGE, {
      ApiId: { Ref: logicalIdOf('ReceiverApi') },
      DefaultRouteSettings: { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 },
    });
    template.hasResourceProperties(STAGE, {
      ApiId: { Ref: logicalIdOf('ManagementApi') },
      DefaultRouteSettings: Match.absent(),
    });
  });
});

describe('The setting reservedConcurrency', () => {
  const reserved = { receive: 60, send: 20, publish: 10, manage: 30 };
  const { template } = synthesizedStack('prod', { reservedConcurrency: reserved });

  test.each([
    { serviceName: 'receive', expected: 60 },
    { serviceName: 'send', expected: 20 },
    { serviceName: 'publish', expected: 10 },
    { serviceName: 'manage', expected: 30 },
  ])('reserves executions of $serviceName', ({ serviceName, expected }) => {
    template.hasResourceProperties(FUNCTION, {
      ReservedConcurrentExecutions: expected,
      Environment: { Variables: { POWERTOOLS_SERVICE_NAME: serviceName } },
    });
  });

  test("requires more than the maximum concurrency of a function's queues", () => {
    const concurrencyOf = (name: string) =>
      Object.values(
        template.findResources('AWS::Lambda::EventSourceMapping', {
          Properties: { FunctionName: { Ref: logicalIdOf(name) } },
        }),
      ).map(({ Properties }) => Properties.ScalingConfig.MaximumConcurrency);

    expect(concurrencyOf('ReceiverFunction')).toEqual([MAX_INBOUND_INVOCATIONS]);
    expect(concurrencyOf('ManagementFunction')).toEqual([MAX_ERASURE_INVOCATIONS]);
    expect(concurrencyOf('SenderFunction')).toEqual([20]);
  });
});
