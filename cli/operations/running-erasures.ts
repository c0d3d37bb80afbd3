import { addMs, type Instant } from '../../lambdas/domain/instant.ts';
import { kindOf, type StoredItem, textOf } from '../../lambdas/laws/stored-item.ts';
import { stateShards } from '../../lambdas/table/indexes.ts';
import { erasureKey, type ItemKey } from '../../lambdas/table/keys.ts';
import { listShard, readItems, type TableReads } from './table-reads.ts';

/** The clock of this machine can differ from those of the functions. */
const CLOCK_SKEW_MS = 60 * 60 * 1000;

export const isRunningErasure = (item: StoredItem): boolean => kindOf(item) === 'erasure' && item.state === 'running';

/**
 * Whether an erasure is running. The scan has seen those that were running when it started. Those that were requested
 * since are in the audit trail, where an erasure is recorded before it starts.
 *
 * @param seen the erasures that were running when the scan read them
 */
export const isErasureRunning = async (
  reads: TableReads,
  seen: readonly ItemKey[],
  scanStartedAt: Instant,
): Promise<boolean> => {
  const entryKeys: ItemKey[] = [];
  for (const shard of stateShards('audit')) {
    entryKeys.push(...(await listShard(reads, shard, addMs(scanStartedAt, -CLOCK_SKEW_MS))));
  }
  const entries = await readItems(reads, entryKeys, true);
  const requested = [...entries.values()].flatMap((entry): readonly ItemKey[] => {
    const id = entry.action === 'erasure' ? textOf(entry, 'erasureId') : undefined;
    return id === undefined ? [] : [erasureKey(id)];
  });
  const erasures = await readItems(reads, [...seen, ...requested], true);
  return [...erasures.values()].some(isRunningErasure);
};
