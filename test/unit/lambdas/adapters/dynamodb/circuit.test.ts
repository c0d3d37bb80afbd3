import { beforeEach, describe, expect, it } from 'vitest';
import { createDynamodbCircuit } from '../../../../../lambdas/adapters/dynamodb/circuit.ts';
import type { CircuitRepository, Trip } from '../../../../../lambdas/ports.ts';
import { ACCOUNT } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';
import { repositoriesOf } from './repositories.ts';

const tables = contractTables();
let tableName: string;
let circuit: CircuitRepository;

beforeEach(async () => {
  tableName = await tables.createTable();
  circuit = createDynamodbCircuit(repositoriesOf(tables.tableOf(tableName)).table, ACCOUNT);
});

const at = (second: number) => `2026-11-20T12:00:${String(second).padStart(2, '0')}.000Z`;

const trip = (changes: Partial<Trip> = {}): Trip => ({
  reason: 'no-credit',
  why: 'code 101',
  calledAt: at(0),
  openedAt: at(1),
  nextProbeAt: at(6),
  ...changes,
});
const OPEN = {
  state: 'open',
  reason: 'no-credit',
  why: 'code 101',
  openedAt: at(1),
  nextProbeAt: at(6),
  probes: 0,
  failedSends: 0,
} as const;
const probe = (probeId: string, second: number) => ({ probeId, now: at(second), leaseUntil: at(second + 10) });

describe("an account's circuit breaker in the table", () => {
  it('is closed while there is no item', async () => {
    expect(await circuit.read()).toEqual({ state: 'closed' });
    expect(await tables.items(tableName)).toEqual({});
  });

  it('opens once: a later trip leaves it as it is', async () => {
    expect(await circuit.open(trip())).toEqual(OPEN);
    expect(await circuit.open(trip({ reason: 'token', why: '401', openedAt: at(2) }))).toEqual(OPEN);
    expect(await circuit.read()).toEqual(OPEN);
  });

  it('names its account, for the events', async () => {
    await circuit.open(trip());
    expect(await tables.items(tableName)).toEqual({
      'ACCOUNT#chat#+5491100000000 ACCOUNT': expect.objectContaining({ ...ACCOUNT, circuit: 'open' }),
    });
  });

  it('grants one probe when it is due, until the lease expires', async () => {
    await circuit.open(trip());
    expect(await circuit.claimProbe(probe('early', 5))).toEqual({ isClaimed: false, circuit: OPEN });

    const claimed = { ...OPEN, nextProbeAt: at(16), probes: 1, probeId: 'first' };
    expect(await circuit.claimProbe(probe('first', 6))).toEqual({ isClaimed: true, circuit: claimed });
    expect(await circuit.claimProbe(probe('second', 7))).toEqual({ isClaimed: false, circuit: claimed });
    // As when the SDK retries a write whose answer was lost.
    expect(await circuit.claimProbe(probe('first', 6))).toEqual({ isClaimed: true, circuit: claimed });

    expect(await circuit.claimProbe(probe('second', 16))).toMatchObject({ isClaimed: true, circuit: { probes: 2 } });
  });

  it('grants no probe while it is closed', async () => {
    expect(await circuit.claimProbe(probe('first', 6))).toEqual({ isClaimed: false, circuit: { state: 'closed' } });
  });

  it('stays open after a failed probe, with its reason and the time of the next one', async () => {
    await circuit.open(trip());
    await circuit.claimProbe(probe('first', 6));
    const next = { reason: 'token' as const, why: '401', nextProbeAt: at(20) };
    const failed = { ...next, isSendFailed: false };

    expect(await circuit.failProbe('other', failed)).toMatchObject({ reason: 'no-credit', nextProbeAt: at(16) });
    expect(await circuit.failProbe('first', failed)).toEqual({ ...OPEN, ...next, probes: 1 });
  });

  it('closes only after its own probe was accepted', async () => {
    await circuit.open(trip());
    await circuit.claimProbe(probe('first', 6));

    expect(await circuit.close('other', at(8))).toMatchObject({ state: 'open' });
    expect(await circuit.close('first', at(9))).toEqual({ state: 'closed' });
    expect(await circuit.read()).toEqual({ state: 'closed' });
  });

  it('opens again for a call made after it closed, but not for an earlier one', async () => {
    await circuit.open(trip());
    await circuit.claimProbe(probe('first', 6));
    await circuit.close('first', at(9));

    expect(await circuit.open(trip({ calledAt: at(9), openedAt: at(10) }))).toEqual({ state: 'closed' });
    const again = { openedAt: at(12), nextProbeAt: at(17) };
    expect(await circuit.open(trip({ calledAt: at(11), ...again }))).toEqual({ ...OPEN, ...again });
  });

  it('forgets the failed requests of an earlier time when it opens again', async () => {
    await circuit.open(trip({ reason: 'unreachable' }));
    await circuit.claimProbe(probe('first', 6));
    const failed = { reason: 'unreachable' as const, why: 'HTTP 502', nextProbeAt: at(20), sendFailedAt: at(8) };
    await circuit.failProbe('first', failed);
    await circuit.claimProbe(probe('second', 20));
    await circuit.close('second', at(22));

    // With the old time, a request would be sent at once, although the chat service does not answer.
    const again = { reason: 'unreachable' as const, calledAt: at(30), openedAt: at(31), nextProbeAt: at(36) };
    expect(await circuit.open(trip(again))).not.toHaveProperty('sendFailedAt');
  });
});
