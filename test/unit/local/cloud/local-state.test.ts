import { describe, expect, it } from 'vitest';
import { localState } from '../../../../local/cloud/local-state.ts';

const addresses = {
  consoleUrl: 'http://127.0.0.1:1/',
  webhookUrl: 'http://127.0.0.1:2/webhook',
  managementUrl: 'http://127.0.0.1:3',
  chatServiceUrl: 'http://127.0.0.1:1',
  sendQueueUrl: 'send',
  sendDeadLetterQueueUrl: 'send-dead-letters',
  scheduleDeadLetterQueueUrl: 'schedule-dead-letters',
  inboundQueueUrl: 'inbound',
  inboundDeadLetterQueueUrl: 'inbound-dead-letters',
  erasureQueueUrl: 'erasures',
  erasureDeadLetterQueueUrl: 'erasure-dead-letters',
  publishFailuresQueueUrl: 'publish-failures',
  tableName: 'table',
  eventBusName: 'bus',
  accessTokenSecretId: 'access-token',
  env: {},
};

describe('the addresses of a run', () => {
  it('include every output of the stack, and the secret of the webhook if its authentication uses one', () => {
    const webhookSecretId = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:webhook';

    const secret = { webhookSecretId, webhookSecretKind: 'shared-token' };

    expect(localState({ ...addresses, ...secret })).toEqual({ ...addresses, ...secret });
  });

  it('leave the secret out of the file if there is none', () => {
    expect(JSON.parse(JSON.stringify(localState(addresses)))).toEqual(addresses);
  });
});
