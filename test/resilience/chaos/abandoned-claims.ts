import type { Ledgers } from './ledgers.ts';

/**
 * Returns the times of the claims of a request that a function may have left without an outcome. For that, the table
 * must have accepted the claim, and one of these must have happened during the claim's invocation:
 *
 * - the process that had the request in its event was killed or timed out,
 * - the answer to a write of this send's item was lost, so the function could not know what it had recorded,
 * - the table refused connections, so the function could not record anything.
 *
 * Other faults, such as a failed read or write of another send, leave no claim without an outcome.
 */
export const abandonedClaims = (
  { sendWrites, kills, tableOutages, sendTimeoutMs }: Ledgers,
  requestId: string,
): readonly string[] => {
  const writes = sendWrites.filter((write) => write.requestId === requestId);
  const claims = new Set(writes.flatMap(({ claimedAt, isApplied }) => (claimedAt && isApplied ? [claimedAt] : [])));
  return [...claims].filter((claimedAt) => {
    const endsAt = new Date(Date.parse(claimedAt) + sendTimeoutMs).toISOString();
    const isDuring = (at: string): boolean => claimedAt <= at && at <= endsAt;
    const isKilled = kills.some(
      ({ functionName, requestIds, at }) => functionName === 'Sender' && requestIds.includes(requestId) && isDuring(at),
    );
    const isLost = writes.some((write) => write.isLost && isDuring(write.at));
    return isKilled || isLost || tableOutages.some(({ from, to }) => from <= endsAt && to >= claimedAt);
  });
};
