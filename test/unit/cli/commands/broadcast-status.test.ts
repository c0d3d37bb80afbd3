import { afterEach, describe, expect, it } from 'vitest';
import { watchCounts } from '../../../../cli/commands/broadcast-status.ts';
import type { SendCount } from '../../../../cli/operations/send-counts.ts';
import { type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';

let target: LocalTarget;
afterEach(async () => {
  await target?.[Symbol.asyncDispose]();
});

const accepted = (count: number): SendCount => ({ state: 'accepted', count });
const optedOut = (count: number): SendCount => ({ state: 'refused', code: 'OPTED_OUT', count });

/** A stage that counts in several calls. */
const startWithPages = async (...pages: readonly (readonly SendCount[])[]) => {
  target = await startLocalTarget({}, async (method, path) => {
    const { pathname, searchParams } = new URL(path, 'http://api');
    expect([`${method} ${pathname}`, searchParams.get('broadcast')]).toEqual(['GET /v1/send-counts', 'sale']);
    const page = Number(searchParams.get('cursor') ?? 0);
    return [200, { counts: pages[page] ?? [], ...(page + 1 < pages.length && { cursor: String(page + 1) }) }];
  });
};

describe('broadcast status', () => {
  it('adds up the counts of all calls, by state and code', async () => {
    await startWithPages([accepted(200), optedOut(70)], [], [accepted(100), optedOut(10)]);

    const { out, code } = await target.parley(['broadcast', 'status', 'sale']);

    expect(out.split('\n')).toEqual([
      'Broadcast sale: 380 sends.',
      '     300  accepted',
      '      80  refused (OPTED_OUT)',
      expect.stringMatching(/^See them: parley sends list --broadcast sale --state refused --local/),
    ]);
    expect(code).toBe(0);
    const { out: json } = await target.parley(['broadcast', 'status', 'sale', '--json']);
    expect(JSON.parse(json)).toEqual({ broadcastId: 'sale', sends: 380, counts: [accepted(300), optedOut(80)] });
  });

  it.each<[SendCount[], string]>([
    [[accepted(9), { state: 'failed', code: '131049', count: 3 }], '--state failed'],
    [[optedOut(1), { state: 'rejected', code: '104', count: 2 }], '--state rejected'],
    [[accepted(9)], '--local'],
  ])('names the list of the most frequent state in which messages did not arrive: %j', async (counts, filter) => {
    await startWithPages(counts);

    const { out } = await target.parley(['broadcast', 'status', 'sale']);

    expect(out).toContain(`See them: parley sends list --broadcast sale ${filter}`);
  });

  it('of a broadcast without sends is not found', async () => {
    await startWithPages([]);

    const { err, code } = await target.parley(['broadcast', 'status', 'sale']);

    expect([err, code]).toEqual([expect.stringContaining('There are no sends of the broadcast sale.'), 3]);
  });
});

describe('watching a broadcast', () => {
  const watch = async (readings: readonly (readonly SendCount[])[], stopAfter = Number.POSITIVE_INFINITY) => {
    const said: string[] = [];
    let reading = 0;
    const counts = await watchCounts({
      read: async () => {
        reading += 1;
        return readings[reading - 1] ?? readings.at(-1) ?? [];
      },
      say: (line) => said.push(line),
      pause: async () => (reading >= stopAfter ? 'stopped' : 'waited'),
    });
    return { counts, said, reading };
  };

  it('says each change once, and ends when no send waits and the counts stay the same', async () => {
    const waiting: SendCount = { state: 'waiting', count: 5 };
    const readings = [
      [],
      ...Array.from({ length: 9 }, () => [accepted(1), waiting]),
      [accepted(6)],
      [accepted(6), optedOut(2)],
    ];

    expect(await watch(readings)).toEqual({
      counts: [accepted(6), optedOut(2)],
      said: ['No sends yet', '1 accepted, 5 waiting', '6 accepted', '6 accepted, 2 refused (OPTED_OUT)'],
      reading: 16,
    });
  });

  it('ends with the latest counts after Ctrl-C', async () => {
    expect(await watch([[], [accepted(1)], [accepted(2)]], 2)).toMatchObject({ counts: [accepted(1)], reading: 2 });
  });
});
