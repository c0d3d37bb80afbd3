import { beforeEach, describe, expect, it } from 'vitest';
import { NOW } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage, OPERATOR } from '../managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const NEXT_PROBE_AT = '2026-11-20T12:05:00.000Z';
const LEASE_ENDS_AT = '2026-11-20T12:07:00.000Z';
const open = (changes = {}) =>
  stage.circuits.open({
    reason: 'token',
    why: 'HTTP 401',
    calledAt: NOW,
    openedAt: NOW,
    nextProbeAt: NEXT_PROBE_AT,
    ...changes,
  });
const close = () => stage.call('closeCircuitBreaker', { body: { note: 'New token' } });

describe('closing the circuit breaker', () => {
  it('makes the next probe due now, and leaves the circuit breaker open until it succeeds', async () => {
    await open();

    expect(await close()).toEqual({
      status: 200,
      body: { circuitBreaker: { state: 'open', reason: 'token', why: 'HTTP 401', openedAt: NOW, nextProbeAt: NOW } },
    });

    const probe = { probeId: 'p', now: NOW, leaseUntil: LEASE_ENDS_AT };
    expect(await stage.circuits.claimProbe(probe)).toMatchObject({ isClaimed: true });
  });

  it('waits for a probe in flight, so that there is never more than one', async () => {
    await open({ nextProbeAt: NOW });
    await stage.circuits.claimProbe({ probeId: 'p', now: NOW, leaseUntil: LEASE_ENDS_AT });

    expect(await close()).toMatchObject({
      status: 409,
      body: { code: 'PROBE_IN_FLIGHT', message: expect.stringContaining(LEASE_ENDS_AT) },
    });

    expect(await stage.circuits.close('p', NEXT_PROBE_AT)).toEqual({ state: 'closed' });
  });

  it('says that a probe is due, if the function died that made the last one', async () => {
    await open({ nextProbeAt: '2026-11-20T11:50:00.000Z' });
    const leaseUntil = '2026-11-20T11:55:00.000Z';
    await stage.circuits.claimProbe({ probeId: 'p', now: '2026-11-20T11:50:00.000Z', leaseUntil });

    expect(await close()).toMatchObject({ status: 200, body: { circuitBreaker: { nextProbeAt: leaseUntil } } });
  });

  it('never delays a probe that is due already', async () => {
    await open({ nextProbeAt: '2026-11-20T11:59:00.000Z' });
    expect(await close()).toMatchObject({ body: { circuitBreaker: { nextProbeAt: '2026-11-20T11:59:00.000Z' } } });
  });

  it('does nothing if it is closed', async () => {
    expect(await close()).toEqual({ status: 200, body: { circuitBreaker: { state: 'closed' } } });
  });

  it('is audited with who and why', async () => {
    await close();
    expect((await stage.call('listAudit')).body).toMatchObject({
      entries: [{ action: 'circuit-breaker-closure', caller: OPERATOR.arn, note: 'New token' }],
    });
  });
});
