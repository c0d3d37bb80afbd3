import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LISTED_STATES } from '../../../../lambdas/domain/send-index.ts';
import { NOW, USER } from '../../../support/builders.ts';
import { type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';

let target: LocalTarget;
beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse(NOW) + 180_000, toFake: ['Date'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await target?.[Symbol.asyncDispose]();
});

const send = (index: number) => ({
  requestId: `order-${index}`,
  state: 'refused',
  code: 'OPTED_OUT',
  decision: 'The user opted out.',
  request: { requestId: `order-${index}`, platformContactId: USER },
  attempts: 0,
  unknownOutcomes: 0,
  refusedAt: NOW,
});

/** The queries of the calls, in order. */
const queries: Record<string, string>[] = [];

/** A stage with pages of sends; the last one has no cursor. */
const startWithPages = async (...pages: readonly (readonly object[])[]) => {
  queries.length = 0;
  target = await startLocalTarget({}, async (method, path) => {
    const { pathname, searchParams } = new URL(path, 'http://api');
    expect(`${method} ${pathname}`).toBe('GET /v1/sends');
    queries.push(Object.fromEntries(searchParams));
    const page = Number(searchParams.get('cursor') ?? 0);
    return [200, { sends: pages[page] ?? [], ...(page + 1 < pages.length && { cursor: String(page + 1) }) }];
  });
};

const list = (...args: readonly string[]) => target.parley(['sends', 'list', ...args]);

describe('sends list', () => {
  it('shows each send with its time, reason, and contact, and passes on every filter', async () => {
    await startWithPages([send(1)]);
    const filters = ['--state', 'refused', '--contact', USER, '--channel', '+5491100000099', '--code', 'OPTED_OUT'];

    const { out, code } = await list(...filters, '--broadcast', 'sale', '--since', NOW);

    expect(out).toBe(`${NOW} (3 minutes ago)  refused (OPTED_OUT)  order-1  ${USER}\n  The user opted out.`);
    expect(code).toBe(0);
    const given = { state: 'refused', contact: USER, chatChannelNumber: '+5491100000099', code: 'OPTED_OUT' };
    expect(queries).toEqual([{ ...given, broadcast: 'sale', since: NOW, limit: '100' }]);
  });

  it('shows when and why an accepted message failed', async () => {
    const outcome = 'The chat service accepted it, and the message failed, code 131026.';
    const failed = { ...send(1), state: 'failed', code: '131026', outcome, outcomeDetails: 'Not reachable.' };
    await startWithPages([{ ...failed, failedAt: NOW }]);

    const { out } = await list('--state', 'failed');

    expect(out).toBe(`${NOW} (3 minutes ago)  failed (131026)  order-1  ${USER}\n  ${outcome} Not reachable.`);
  });

  it('names every state that can be listed in its help', async () => {
    await startWithPages([]);
    const help = (await list('--help')).out.replaceAll(/\s+/g, ' ');
    for (const state of LISTED_STATES) expect(help).toMatch(new RegExp(`--state must be [^.]*\\b${state}\\b`));
  });

  it('reads on after an empty page, until it has as many as asked for', async () => {
    await startWithPages([], [send(1), send(2)], [], [send(3)], [send(4)]);

    const { out } = await list('--broadcast', 'sale', '--limit', '3');

    expect(out.match(/order-\d/g)).toEqual(['order-1', 'order-2', 'order-3']);
    expect(out).toContain('Next page: parley sends list --broadcast sale --limit 3 --cursor 4 --local');
    expect(queries.map(({ limit }) => limit)).toEqual(['3', '3', '1', '1']);
  });

  it('with --all reads every page, 500 sends at a time', async () => {
    await startWithPages([send(1)], [send(2)], []);

    const { out } = await list('--broadcast', 'sale', '--all', '--json');

    const { sends, cursor } = JSON.parse(out);
    expect([sends.length, cursor]).toEqual([2, undefined]);
    expect(new Set(queries.map(({ limit }) => limit))).toEqual(new Set(['500']));
  });

  it('says if there are none', async () => {
    await startWithPages([]);
    expect((await list('--state', 'expired')).out).toBe('There are no such sends.');
  });

  it.each([
    [[], 'Add --state, --contact, --customer, or --broadcast. See parley sends list --help.'],
    [['--code', 'OPTED_OUT'], 'Add --state, --contact, --customer, or --broadcast. See parley sends list --help.'],
    [['--state', 'refused', '--limit', '0'], '--limit 0 is invalid. Use a whole number from 1 to 9999999.'],
  ])('refuses %j', async (args, explanation) => {
    await startWithPages([]);

    const { err, code } = await list(...args);

    expect([err.trim(), code, queries]).toEqual([expect.stringContaining(explanation), 2, []]);
  });

  it('has the earlier name of the list of uncertain sends', async () => {
    await startWithPages([{ ...send(1), state: 'uncertain', uncertainAt: NOW }]);

    expect((await target.parley(['sends', 'uncertain', 'list'])).out).toContain('order-1');

    expect(queries).toEqual([{ state: 'uncertain', limit: '100' }]);
  });
});

describe('sends resolve', () => {
  it.each([[['sends', 'resolve']], [['sends', 'uncertain', 'resolve']]])('is called %j', async (name) => {
    const calls: unknown[] = [];
    target = await startLocalTarget({}, async (method, path, sent) => {
      calls.push([`${method} ${path}`, JSON.parse(sent)]);
      return [200, { ...send(1), state: 'rejected' }];
    });

    const { code } = await target.parley([...name, 'order-1', '--outcome', 'failed', '--note', 'not there']);

    expect(code).toBe(0);
    const resolution = { requestId: 'order-1', outcome: 'failed', note: 'not there' };
    expect(calls).toEqual([['POST /v1/resolutions', resolution]]);
  });
});

describe('sends requeue', () => {
  it('names a command for the status that can be pasted, whatever the request ID is', async () => {
    target = await startLocalTarget({}, async () => [200, { ...send(1), requestId: 'order 1', state: 'scheduled' }]);

    const { out } = await target.parley(['sends', 'requeue', 'order 1']);

    expect(out).toBe("Request order 1 is queued. Check its status: parley status 'order 1' --local");
  });
});
