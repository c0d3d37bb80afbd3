import { beforeEach, describe, expect, it } from 'vitest';
import { stageResponse } from '../../../../../lambdas/manage/api/stage.ts';
import { jwt, NOW, RETENTION_DAYS } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const NEXT_PROBE_AT = '2026-11-20T12:00:05.000Z';
const open = () =>
  stage.circuits.open({
    reason: 'no-credit',
    why: 'HTTP 403, code 101',
    calledAt: NOW,
    openedAt: NOW,
    nextProbeAt: NEXT_PROBE_AT,
  });

describe('the stage', () => {
  it('is shown with its settings and a closed circuit breaker', async () => {
    expect(await stage.call('getStage')).toEqual({
      status: 200,
      body: {
        chatPlatform: 'chat',
        chatChannelNumber: '+5491100000000',
        chatServiceUrl: 'https://chat.example',
        windowMarginSeconds: 60,
        windowPer: 'user',
        retentionDays: RETENTION_DAYS,
        circuitBreaker: { state: 'closed' },
        sending: { state: 'running' },
      },
    });
  });

  it('is shown regardless of the body of the call', async () => {
    const withoutBody = await stage.call('getStage');
    for (const body of ['{}', '{"a":1}', 'text']) expect(await stage.call('getStage', { body })).toEqual(withoutBody);
  });

  it('is shown with the reason and the next probe while the circuit breaker is open', async () => {
    await open();
    expect((await stage.call('getStage')).body).toMatchObject({
      circuitBreaker: {
        state: 'open',
        why: 'HTTP 403, code 101',
        openedAt: NOW,
        nextProbeAt: NEXT_PROBE_AT,
      },
    });
  });

  it('is shown with the expiry of the access token, if the token can be read and is a JWT that expires', async () => {
    const expiresAt = async () => stageResponse.parse((await stage.call('getStage')).body).accessTokenExpiresAt;
    stage.readAccessToken = () => jwt({ exp: Date.parse(NOW) / 1000 });
    expect(await expiresAt()).toBe(NOW);
    stage.readAccessToken = () => 'opaque';
    expect(await expiresAt()).toBeUndefined();
    stage.readAccessToken = () => {
      throw new Error('Secrets Manager is unavailable.');
    };
    expect(await expiresAt()).toBeUndefined();
  });
});
