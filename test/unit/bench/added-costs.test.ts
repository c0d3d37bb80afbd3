import { describe, expect, it } from 'vitest';
import { COUNTS } from '../../../bench/cost/counts.ts';
import { cellOf } from '../../../bench/ratios.ts';
import { readPages } from '../../../bench/results.ts';
import { tableUnder } from '../../../lib/documents/markdown.ts';

const { cost } = await readPages();

/** Returns what an event adds, rounded because the circuit breaker is read again every few seconds. */
const addedIn = (title: string, event: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    COUNTS.flatMap(([what]) => {
      const more = Math.round(Number(cellOf(cost, title, event, what)));
      return more === 0 || what === 'invocations' ? [] : [[what, more]];
    }),
  );
const added = (event: string) => addedIn('Additional usage per event', event);
const ofSend = (what: string): number =>
  Math.round(Number(cellOf(cost, 'Parley: counted per event', what, 'send, free-form')));

describe('the costs of keywords, operators, conditions, and the bulk queue', () => {
  it.each([
    ['keywords: keyword', { 'write units': 1, 'events on the bus': 1 }],
    ['keywords: opt-out delivered again', { 'write units': 1 }],
    ['keywords: other message', {}],
    [
      'keywords with confirmation: opt-out',
      { 'write units': 7, 'read units': 5, 'SQS requests': 3, 'events on the bus': 2 },
    ],
    ["operators: operator's message", { 'write units': 1, 'events on the bus': 1 }],
    ['operators: automated send', { 'read units': 5 }],
    ['operators: other send', { 'read units': 1 }],
    ['operators: other message', {}],
    ['unless: send', { 'read units': 3 }],
    ['bulk queue: bulk send', {}],
    ['bulk queue: other send', {}],
  ])('are what the documents and the tests of the functions say: %s', (event, more) => {
    expect(added(event)).toEqual(more);
    const rows = tableUnder(cost, '### Additional US dollars per million events');
    const [, ...dollars] = rows.find(([name]) => name === event) ?? [];
    expect(dollars.length).toBeGreaterThan(0);
    // Noise is not shown as a price.
    if (Object.keys(more).length === 0) expect(new Set(dollars)).toEqual(new Set(['0.00']));
  });

  it('include a send for the confirmation, and the request with which receive queues it', () => {
    const keyword = added('keywords: keyword')['write units'] ?? 0;
    expect(added('keywords with confirmation: opt-out')).toMatchObject({
      'write units': keyword + ofSend('write request units, table') + ofSend('write request units, indexes') + 1,
      'read units': ofSend('read request units'),
      'SQS requests': ofSend('SQS requests, FIFO') + 1,
    });
  });

  it('are zero in a month without messages, except those of the bulk queue', () => {
    const monthly = (option: string) =>
      Number(cellOf(cost, 'Additional US dollars per month without any event', option, '$ per month'));
    expect([monthly('keywords'), monthly('keywords with confirmation'), monthly('operators')]).toEqual([0, 0, 0]);
    // Three alarms, and five pollers that each receive from a FIFO queue every 20 seconds.
    expect(monthly('bulk queue')).toBeCloseTo(3 * 0.1 + ((5 * 730 * 3600) / 20 / 1e6) * 0.5, 2);
  });
});

describe('the costs of turns', () => {
  it('are a transaction of two writes and a deletion, which add nothing to the indexes', () => {
    // The message is written in the transaction, which costs a unit more, beside the turn's two units and the deletion.
    expect(addedIn('Additional usage per message', 'messages per turn: 1')).toMatchObject({ 'write units': 1 + 2 + 1 });
  });
});
