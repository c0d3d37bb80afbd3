import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { paginateScan } from '@aws-sdk/client-dynamodb';
import { GetScheduleCommand, paginateListSchedules, ResourceNotFoundException } from '@aws-sdk/client-scheduler';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { createTraceSearch, type TraceSearch, type Wanted } from '../../lambdas/domain/traces.ts';
import { scanQueue } from './scan-queue.ts';
import type { SearchedStore, StoreScan, Trace } from './store-scan.ts';
import type { Stores } from './stores.ts';

export interface ErasureScan {
  readonly searched: readonly SearchedStore[];
  readonly traces: readonly Trace[];
  readonly notSearched: readonly string[];
}

/** Searches every store for traces of a user, such as after an erasure. Changes nothing. */
export const scanForTraces = async (
  stores: Stores,
  wanted: Wanted,
  onProgress: (store: string, count: number) => void = () => {},
): Promise<ErasureScan> => {
  const search = createTraceSearch(wanted);
  const { tables, scheduleGroups, queueUrls, logFolder, notSearched, sqs } = stores;
  const scans: StoreScan[] = [];
  for (const table of tables) scans.push(await scanTable(stores, table, search, onProgress));
  for (const group of scheduleGroups) scans.push(await scanSchedules(stores, group, search));
  for (const url of queueUrls) scans.push(await scanQueue(sqs, url, search));
  if (logFolder !== undefined) scans.push(...(await scanLogs(logFolder, search)));
  return {
    searched: scans.map(({ searched }) => searched),
    traces: scans.flatMap(({ traces }) => traces),
    notSearched,
  };
};

/** Reads every item with consistent reads, including expired items that are not deleted yet. */
const scanTable = async (
  { dynamodb }: Stores,
  TableName: string,
  search: TraceSearch,
  onProgress: (store: string, count: number) => void,
): Promise<StoreScan> => {
  const store = `table ${TableName}`;
  const traces: Trace[] = [];
  let count = 0;
  for await (const { Items = [] } of paginateScan({ client: dynamodb }, { TableName, ConsistentRead: true })) {
    for (const raw of Items) {
      const item = unmarshall(raw, { wrapNumbers: String });
      const fields = search.inValue(item);
      if (fields.length > 0) traces.push({ store, place: `${item.pk} ${item.sk}`, fields });
    }
    count += Items.length;
    onProgress(store, count);
  }
  return { searched: { store, kind: 'items', count }, traces };
};

const scanSchedules = async ({ scheduler }: Stores, GroupName: string, search: TraceSearch): Promise<StoreScan> => {
  const store = `schedules ${GroupName}`;
  const traces: Trace[] = [];
  let count = 0;
  for await (const { Schedules = [] } of paginateListSchedules({ client: scheduler }, { GroupName })) {
    for (const { Name = '' } of Schedules) {
      count += 1;
      // The list does not include the schedules' inputs.
      const schedule = await scheduler.send(new GetScheduleCommand({ Name, GroupName })).catch(ignoreMissing);
      const { $metadata: _, ...described } = { $metadata: undefined, ...schedule };
      const fields = search.inValue(described);
      if (fields.length > 0) traces.push({ store, place: Name, fields });
    }
  }
  return { searched: { store, kind: 'schedules', count }, traces };
};

/** A schedule that has become due in the meantime no longer exists. */
const ignoreMissing = (error: unknown): undefined => {
  if (!(error instanceof ResourceNotFoundException)) throw error;
};

const scanLogs = async (folder: string, search: TraceSearch): Promise<readonly StoreScan[]> => {
  const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ name }) => {
      const store = `log ${name}`;
      const traces: Trace[] = [];
      let count = 0;
      for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
        count += 1;
        const fields = search.inText(line);
        if (fields.length > 0) traces.push({ store, place: `line ${count}`, fields });
      }
      return { searched: { store, kind: 'lines' as const, count }, traces };
    }),
  );
};
