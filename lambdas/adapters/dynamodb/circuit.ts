import type { AccountRef } from '../../domain/circuit-breaker.ts';
import type { CircuitRepository } from '../../ports.ts';
import { parseCircuit } from '../../table/account-item.ts';
import { accountKey } from '../../table/keys.ts';
import type { ItemUpdate } from './item-update.ts';
import type { ConversationTable } from './table.ts';

/**
 * Creates the repository of an account's circuit breaker. Each transition is conditional on the current state. Each
 * write returns the resulting circuit, whether or not the transition was applied.
 */
export const createDynamodbCircuit = (table: ConversationTable, account: AccountRef): CircuitRepository => {
  const key = accountKey(account);
  const update = async (change: Omit<ItemUpdate, 'key'>) => {
    const { kind, item } = await table.update({ key, ...change }, { returnItem: true });
    return { isWritten: kind === 'written', circuit: parseCircuit(item) };
  };
  const isOwnProbe = '#circuit = :open AND #probeId = :probeId';

  return {
    read: async () => parseCircuit(await table.get(key)),

    async open({ reason, why, calledAt, openedAt, nextProbeAt }) {
      const { circuit } = await update({
        set: {
          ...account,
          circuit: 'open',
          reason,
          why,
          openedAt,
          nextProbeAt,
          probes: 0,
          failedSends: 0,
          sendFailedAt: undefined,
          probeId: undefined,
        },
        values: { closed: 'closed', calledAt },
        condition: 'attribute_not_exists(#circuit) OR (#circuit = :closed AND #closedAt < :calledAt)',
      });
      return circuit;
    },

    async claimProbe({ probeId, now, leaseUntil }) {
      const { isWritten, circuit } = await update({
        set: { nextProbeAt: leaseUntil, probeId },
        increment: ['probes'],
        values: { open: 'open', now },
        condition: '#circuit = :open AND #nextProbeAt <= :now',
      });
      // After a lost response, the SDK repeats a write that already succeeded, so the item may contain this probe.
      return { isClaimed: isWritten || ('probeId' in circuit && circuit.probeId === probeId), circuit };
    },

    async failProbe(probeId, next) {
      const { circuit } = await update({
        set: { ...next, probeId: undefined },
        increment: next.sendFailedAt === undefined ? [] : ['failedSends'],
        values: { open: 'open', probeId },
        condition: isOwnProbe,
      });
      return circuit;
    },

    async probeNow(now) {
      const { circuit } = await update({
        set: { nextProbeAt: now },
        values: { open: 'open' },
        condition: '#circuit = :open AND #nextProbeAt > :nextProbeAt AND attribute_not_exists(#probeId)',
      });
      // A function that died leaves its probe, which the next one replaces once its lease has expired.
      const isProbing = circuit.state === 'open' && circuit.probeId !== undefined && circuit.nextProbeAt > now;
      return { circuit, isProbing };
    },

    async close(probeId, closedAt) {
      const { circuit } = await update({
        set: { circuit: 'closed', closedAt, nextProbeAt: undefined, probes: undefined },
        values: { open: 'open', probeId },
        condition: isOwnProbe,
      });
      return circuit;
    },
  };
};
