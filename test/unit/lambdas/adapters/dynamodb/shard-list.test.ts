import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import type { SendRecord } from '../../../../../lambdas/domain/send.ts';
import type { ListPosition } from '../../../../../lambdas/ports.ts';
import { stateShard, stateShards } from '../../../../../lambdas/table/indexes.ts';
import { sendKey } from '../../../../../lambdas/table/keys.ts';
import { NOW } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';
import { type Repositories, repositoriesOf } from './repositories.ts';

const tables = contractTables();
let tableName: string;
let sends: Repositories['sends'];
let lists: Repositories['lists'];

const useNewTable = async () => {
  tableName = await tables.createTable();
  ({ sends, lists } = repositoriesOf(tables.tableOf(tableName)));
};

beforeEach(useNewTable);

/** Stores an uncertain send, as the transition to `uncertain` leaves it. */
const putUncertain = async (requestId: string, uncertainAt: string, body = '{}'): Promise<SendRecord> => {
  const send = {
    state: 'uncertain' as const,
    body,
    attempts: 1,
    unknownOutcomes: 1,
    claimId: 'claim-1',
    uncertainAt,
  };
  const index = { stateShard: stateShard('uncertain', requestId), stateAt: uncertainAt };
  await tables.put(tableName, { ...sendKey(requestId), ...send, ...index });
  return { requestId, ...send };
};

const putMany = (count: number, timeOf: (index: number) => string, body?: string) =>
  Promise.all(Array.from({ length: count }, (_, index) => putUncertain(`request-${index}`, timeOf(index), body)));

const resolve = (send: SendRecord) => sends.resolve(send, { outcome: 'failed', at: NOW, why: 'It was not sent.' });

const readPage = async (limit: number, after: ListPosition | undefined) => {
  const page = await lists.list({ state: 'uncertain' }, { limit, ...(after && { after }) });
  expect(page.sends.length).toBeLessThanOrEqual(limit);
  return page;
};

/** Reads all pages. `betweenPages` runs after each page that is not the last. */
const readAll = async (limit: number, betweenPages: (pages: SendRecord[][]) => Promise<void> = async () => {}) => {
  const pages: SendRecord[][] = [];
  let after: ListPosition | undefined;
  do {
    const page = await readPage(limit, after);
    pages.push([...page.sends]);
    after = page.next;
    if (after) await betweenPages(pages);
  } while (after);
  return pages.flat();
};

const idsOf = (listed: readonly SendRecord[]) => listed.map(({ requestId }) => requestId);

describe('the list of uncertain sends', () => {
  it('contains every send once, on pages of any size, if all became uncertain at the same time', async () => {
    const stored = await putMany(40, () => NOW);
    // The sends are in most of the index's partitions.
    expect(new Set(idsOf(stored).map((id) => stateShard('uncertain', id))).size).toBeGreaterThan(10);

    for (let limit = 1; limit <= 41; limit += 1) {
      expect(idsOf(await readAll(limit)).toSorted()).toEqual(idsOf(stored).toSorted());
    }
  });

  it('has pages of less than 1 MB, without skipping a send', async () => {
    const stored = await putMany(30, () => NOW, JSON.stringify({ messageText: 'x'.repeat(100_000) }));

    const pages: number[] = [];
    const found: string[] = [];
    let after: ListPosition | undefined;
    do {
      const page = await readPage(500, after);
      pages.push(Buffer.byteLength(JSON.stringify(page.sends)));
      found.push(...idsOf(page.sends));
      after = page.next;
    } while (after);

    expect(found.toSorted()).toEqual(idsOf(stored).toSorted());
    expect(Math.max(...pages)).toBeLessThan(1_000_000);
    expect(pages.length).toBeGreaterThan(3);
  });

  it('neither skips nor repeats a send when others leave the state between pages', async () => {
    const uncertainIds = fc.uniqueArray(fc.integer({ min: 0, max: 999 }), { minLength: 1, maxLength: 25 });
    const scenario = fc.record({
      numbers: uncertainIds,
      times: fc.infiniteStream(fc.integer({ min: 0, max: 2 })),
      limit: fc.integer({ min: 1, max: 8 }),
      leaving: fc.infiniteStream(fc.boolean()),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ numbers, times, limit, leaving }) => {
        await useNewTable();
        const stored = await Promise.all(
          numbers.map((number) => putUncertain(`request-${number}`, addMs(NOW, times.next().value ?? 0))),
        );
        const left = new Set<string>();

        const listed = await readAll(limit, async () => {
          for (const send of stored) {
            if (left.has(send.requestId) || !leaving.next().value) continue;
            expect(await resolve(send)).toEqual({ kind: 'applied' });
            left.add(send.requestId);
          }
        });

        const ids = idsOf(listed);
        expect(new Set(ids).size).toBe(ids.length);
        const remaining = idsOf(stored).filter((id) => !left.has(id));
        expect(ids).toEqual(expect.arrayContaining(remaining));
        const listedTimes = listed.map(({ uncertainAt }) => uncertainAt);
        expect(listedTimes).toEqual(listedTimes.toSorted());
      }),
      { numRuns: 40 },
    );
  });

  it('has a position small enough for a query parameter, even with the longest request ids', async () => {
    const ids = new Map<string, string>();
    for (let index = 0; ids.size < stateShards('uncertain').length; index += 1) {
      const id = `${index}`.padEnd(128, 'x');
      ids.set(stateShard('uncertain', id), id);
    }
    const twice = [...ids.values()].flatMap((id) => [id, `${id.slice(0, -1)}y`]);
    await Promise.all(twice.map((id) => putUncertain(id, NOW)));

    const { next } = await readPage(16, undefined);

    // API Gateway accepts 10,240 bytes of request line and headers.
    expect(Buffer.from(JSON.stringify(next)).toString('base64url').length).toBeLessThan(6_000);
  });
});
