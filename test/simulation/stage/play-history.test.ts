import { describe, expect, it } from 'vitest';
import { sendRequest, templateRequest, USER } from '../../support/builders.ts';
import type { LedgerEntry } from './ledger.ts';
import { playHistory } from './play-history.ts';
import { busy, entriesOf, eventsOn, features, history, MAIN_JOB, RATES, request, writes } from './small-histories.ts';
import { checkRun } from './stage-invariants.ts';
import type { StageMutation } from './stage-run.ts';

describe('playing a history', () => {
  it('answers a user, and publishes all that happened', async () => {
    const run = await playHistory(MAIN_JOB);

    expect(run.how).toBe('quiet');
    expect(run.items.get('SEND#request-1 SEND')).toMatchObject({ state: 'accepted' });
    expect(run.items.get('MESSAGE#message-of-request-1-1 MESSAGE')).toMatchObject({
      deliveredAt: expect.any(String),
      readAt: expect.any(String),
    });
    expect(entriesOf(run, 'published').map(({ detailType }) => detailType)).toEqual([
      'MessageReceived',
      'SendAccepted',
      'MessageDelivered',
      'MessageRead',
    ]);
    expect(Object.values(run.queued).flat()).toEqual([]);
  });

  it('refuses a template without an opt-in', async () => {
    const run = await playHistory(history([request(templateRequest())]));

    expect(run.items.get('SEND#request-1 SEND')).toMatchObject({ state: 'refused', code: 'NO_OPT_IN' });
  });

  it('gives the same ledger for the same history, and another one for another seed', async () => {
    const [one, again, other] = [
      await playHistory(MAIN_JOB),
      await playHistory(MAIN_JOB),
      await playHistory({ ...MAIN_JOB, seed: 2 }),
    ];

    expect(again).toEqual(one);
    expect(other.ledger).not.toEqual(one.ledger);
  });
});

describe('a mutation', () => {
  it.each(['receive', 'send', 'publish', 'manage'] as const)('breaks the function %s', async (lambda) => {
    const broken: string[] = [];
    const note = (name: string) => void broken.push(name);
    const run = await playHistory(busy(1), {
      createMutation: (): StageMutation => ({
        table: (table, name) => ({
          update(update, options) {
            note(`${name} table`);
            return table.update(update, options);
          },
        }),
        send: {
          ports: () => {
            note('send');
            return {};
          },
        },
        receive: {
          storeEvents: (storeEvents) => {
            note('receive');
            return storeEvents;
          },
        },
        publish: {
          bus: () => {
            note('publish');
            return {};
          },
        },
        manage: {
          ports: () => {
            note('manage');
            return {};
          },
        },
      }),
    });

    expect(run.how).toBe('quiet');
    expect(broken).toContain(lambda);
    if (lambda !== 'publish') expect(broken).toContain(`${lambda} table`);
  });

  it('changes what happens', async () => {
    const run = await playHistory(MAIN_JOB, {
      createMutation: () => ({ publish: { bus: () => ({ publish: async (events) => events.map(() => PUBLISHED) }) } }),
    });

    expect(eventsOn(run)).toEqual([]);
  });
});

const PUBLISHED = { kind: 'published' as const };

describe('the ledger', () => {
  it('is in the order of its times, and reports each entry at once', async () => {
    const seen: LedgerEntry[] = [];
    const run = await playHistory(busy(3), { onEntry: (entry) => void seen.push(entry) });

    expect(seen).toEqual(run.ledger.entries);
    const times = seen.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  it('has every change of the table', async () => {
    const run = await playHistory(busy(4, { faultRates: RATES }));
    const items = new Map<string, unknown>();
    for (const { key, before, after } of entriesOf(run, 'write')) {
      expect(items.get(key)).toEqual(before);
      if (after === undefined) items.delete(key);
      else items.set(key, after);
    }

    expect(items).toEqual(new Map(run.items));
  });

  it('has every message of a queue', async () => {
    const run = await playHistory(busy(5, { faultRates: RATES }));
    const bodies = (kind: 'queued' | 'deleted') => entriesOf(run, kind).map(({ queue, body }) => `${queue} ${body}`);
    const left = Object.entries(run.queued).flatMap(([queue, messages]) =>
      messages.map(({ body }) => `${queue} ${body}`),
    );

    expect([...bodies('deleted'), ...left].toSorted()).toEqual(bodies('queued').toSorted());
  });
});

describe('the backlog of one contact', () => {
  const OTHER = '+5491150009999';
  /** The contact has three requests on the bulk queue, of which the first must be retried, and then another has one. */
  const callsWith = async (fifoLookahead?: number) => {
    const bulk = (number: number, contact = USER) => {
      const requestId = `request-${number}`;
      const body = sendRequest({ platformContactId: contact, messageText: `${requestId}: News.` });
      return { ...request(body, { requestId, afterMs: 5_000 + number }), groupId: contact, lane: 'bulk' as const };
    };
    const later = request(sendRequest({ platformContactId: OTHER, messageText: 'request-5: Your code.' }), {
      requestId: 'request-5',
      afterMs: 5_500,
    });
    const run = await playHistory(
      history(
        [
          writes(),
          { ...writes(), contact: OTHER },
          ...[1, 2, 3].map((number) => bulk(number)),
          bulk(4, OTHER),
          { ...later, groupId: OTHER },
        ],
        {
          features: features({ bulkLane: true, maxAnswerMs: 0, ...(fifoLookahead !== undefined && { fifoLookahead }) }),
          faults: ['send call message/v3 1 refused'],
        },
      ),
    );
    expect(checkRun(run)).toEqual([]);
    const accepted = entriesOf(run, 'call').filter(({ effect }) => effect !== undefined);
    return accepted.map(({ requestId }) => Number(requestId.at(-1)));
  };
  const isBefore = (order: readonly number[], one: number, other: number) => order.indexOf(one) < order.indexOf(other);

  it('blocks no other contact while SQS looks further', async () => {
    const order = await callsWith();
    expect(isBefore(order, 4, 1)).toBe(true);
  });

  it('blocks the other contacts of its queue if SQS looks no further, but not those of the send queue', async () => {
    const order = await callsWith(3);
    expect([isBefore(order, 1, 4), isBefore(order, 5, 1)]).toEqual([true, true]);
  });
});
