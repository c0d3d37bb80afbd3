import { describe, expect, it } from 'vitest';
import { MAX_STACK_NAME_LENGTH } from '../../../../lib/parley-stack.ts';
import { apiPort } from '../../../../local/stack/stack.ts';
import { synthesizedStack } from '../../lib/synthesized-stack.ts';

describe('the ports of the APIs of a stack', () => {
  it.each(['Parley-dev', 'a'.repeat(MAX_STACK_NAME_LENGTH)])('differ in %s', (stackName) => {
    const { template } = synthesizedStack('dev', undefined, { stackName });
    const apis = Object.keys(template.findResources('AWS::ApiGatewayV2::Api'));
    const ports = { webhook: 1, managementApi: 2 };

    expect(apis.map((logicalId) => apiPort(logicalId, ports)).sort()).toEqual([1, 2]);
  });
});
