import { marshall } from '@aws-sdk/util-dynamodb';
import { PRICES } from '../../../bench/prices.ts';
import {
  type Index,
  type ItemWrite,
  itemSize,
  readUnits,
  readUnitsOf,
  writeUnits,
} from '../../../bench/request-units.ts';
import { createDynamodbSendLists } from '../../../lambdas/adapters/dynamodb/send-lists.ts';
import { createDynamodbSends } from '../../../lambdas/adapters/dynamodb/sends.ts';
import type { ConversationTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import { addMs } from '../../../lambdas/domain/instant.ts';
import type { SendState } from '../../../lambdas/domain/send-transitions.ts';
import type { SendCountFilter, SendFilter } from '../../../lambdas/ports.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import type { ItemKey } from '../../../lambdas/table/keys.ts';
import { createSimulatedTable, createTableState } from '../../simulation/world/table.ts';
import { claim, NOW, queuedSend, sendRequest, sendResult, USER } from '../../support/builders.ts';

/*
 * `npm run bench:lists`: counts the calls and read units of a page and of a count of sends, at several sizes of the
 * table, and the write units that the indexes add to a send. Nothing is timed: the units follow from DynamoDB's rules.
 */

const INDEXES: readonly Index[] = [
  { name: 'byContact', keys: ['contact', 'contactSort'], projected: [] },
  { name: 'byState', keys: ['stateShard', 'stateAt'], projected: [] },
  { name: 'byBroadcast', keys: ['broadcastShard', 'broadcastState'], projected: [] },
];

const rawOf = (item: Item | undefined) => item && marshall(item, { removeUndefinedValues: true });

/** Counts the calls and the read units of the calls of a table. */
const counting = (table: ConversationTable) => {
  const used = { calls: 0, units: 0 };
  const counted: ConversationTable = {
    ...table,
    async getAll(keys: readonly ItemKey[]) {
      const items = await table.getAll(keys);
      used.calls += Math.ceil(keys.length / 100);
      for (const item of items) used.units += readUnits(rawOf(item), 'strong');
      return items;
    },
    async query(query) {
      const page = await table.query(query);
      used.calls += 1;
      used.units += readUnitsOf(
        page.items.map((item) => itemSize(rawOf(item) ?? {})).reduce((a, b) => a + b, 0),
        'eventual',
      );
      return page;
    },
  };
  return { counted, used };
};

const SIZES = [1_000, 10_000, 100_000];
const BROADCAST_SIZE = 500;
const CONTACTS = 1_000;
const PAGE = 20;

const READS: readonly (readonly [
  name: string,
  read: (lists: ReturnType<typeof createDynamodbSendLists>) => Promise<unknown>,
])[] = [
  ['page of 20 refused', (lists) => lists.list({ state: 'refused' } satisfies SendFilter, { limit: PAGE })],
  ['page of 20 refused with a code', (lists) => lists.list({ state: 'refused', code: 'OPTED_OUT' }, { limit: PAGE })],
  ['page of 20 of a broadcast', (lists) => lists.list({ broadcastId: 'broadcast-0' }, { limit: PAGE })],
  [
    'page of 20 of a contact',
    (lists) => lists.list({ user: [{ subject: { platform: 'chat', channel: '*', key: 'user-0' } }] }, { limit: PAGE }),
  ],
  ['count of a broadcast of 500', (lists) => lists.count({ broadcastId: 'broadcast-0' } satisfies SendCountFilter)],
  ['count of an hour of refusals', (lists) => lists.count({ state: 'refused', since: addMs(NOW, -3_600_000) })],
];

/** Fills a table: 1% of the sends are refused, the rest accepted, in broadcasts of 500, over 30 days. */
const tableOf = async (size: number): Promise<ConversationTable> => {
  const state = createTableState();
  const table = createSimulatedTable(state, async (_label, perform) => perform());
  const sends = createDynamodbSends(table);
  for (let index = 0; index < size; index += 1) {
    const requestId = `request-${index}`;
    const request = sendRequest({ requestId, broadcastId: `broadcast-${Math.floor(index / BROADCAST_SIZE)}` });
    const contact = { platform: 'chat', channel: '*', key: `user-${index % CONTACTS}` };
    const send = { ...queuedSend(request), contact };
    const at = addMs(NOW, -Math.floor((30 * 24 * 3_600_000 * index) / size));
    if (index % 100 < 1) {
      const code = index % 200 === 0 ? 'OPTED_OUT' : 'NO_OPT_IN';
      await sends.recordWithoutCall(send, { state: 'refused', at, code, decision: 'A rule forbids it.' });
      continue;
    }
    const own = claim({ claimId: `claim-${index}`, claimedAt: at });
    await sends.claim(send, own, { resend: false });
    await sends.recordResult(requestId, own.claimId, sendResult('accepted', at));
  }
  return table;
};

const rows: Record<string, string | number>[] = [];
for (const size of SIZES) {
  const table = await tableOf(size);
  for (const [read, run] of READS) {
    const { counted, used } = counting(table);
    await run(createDynamodbSendLists(counted));
    rows.push({ read, sends: size, calls: used.calls, 'read units': used.units });
  }
  console.error(`${size} sends counted`);
}
console.table(rows);

/** The write units of one send's life in the indexes by state and by broadcast. */
const writesOf = async (
  path: readonly SendState[],
  { broadcastId }: { readonly broadcastId?: string },
): Promise<number> => {
  const writes: ItemWrite[] = [];
  const state = createTableState(({ before, after }) => writes.push({ before: rawOf(before), after: rawOf(after) }));
  const sends = createDynamodbSends(createSimulatedTable(state, async (_label, perform) => perform()));
  const send = queuedSend(sendRequest({ ...(broadcastId && { broadcastId }), platformContactId: USER }));
  const { requestId } = send.request;
  for (const [step, to] of path.entries()) {
    const at = addMs(NOW, step);
    if (to === 'queued') await sends.register(send, at);
    else if (to === 'scheduled') await sends.schedule(send, { at, sendAt: addMs(NOW, 60_000) });
    else if (to === 'claimed')
      await sends.claim(send, claim({ claimId: `claim-${step}`, claimedAt: at }), { resend: false });
    else if (to === 'refused')
      await sends.recordWithoutCall(send, { state: to, at, code: 'OPTED_OUT', decision: 'No.' });
    else if (to === 'accepted' || to === 'uncertain' || to === 'rejected' || to === 'waiting') {
      await sends.recordResult(requestId, `claim-${step - 1}`, sendResult(to, at));
    }
  }
  const shape = { keys: ['pk', 'sk'], indexes: INDEXES.filter(({ name }) => name !== 'byContact') };
  return writes.reduce((sum, write) => sum + writeUnits(write, shape).indexes, 0);
};

const PATHS: readonly (readonly SendState[])[] = [
  ['claimed', 'accepted'],
  ['queued', 'claimed', 'accepted'],
  ['scheduled', 'claimed', 'accepted'],
  ['claimed', 'waiting', 'claimed', 'accepted'],
  ['refused'],
  ['claimed', 'rejected'],
  ['claimed', 'uncertain'],
];
const costs = [];
for (const path of PATHS) {
  const row: Record<string, string | number> = { states: path.join(' → ') };
  for (const [name, options] of Object.entries({
    'as a single request': {},
    'in a broadcast': { broadcastId: 'broadcast-1' },
  })) {
    row[name] = await writesOf(path, options);
  }
  costs.push(row);
}
console.table(costs);
console.log(`A million write units cost $${PRICES.tableWrites.usd}.`);
