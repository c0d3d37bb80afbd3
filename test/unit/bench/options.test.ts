import { describe, expect, it } from 'vitest';
import { COUNTS } from '../../../bench/cost/counts.ts';
import { figureOf, reportOf } from '../../../bench/report.ts';
import { readResults } from '../../../bench/results.ts';
import { countsOf } from './counts-of.ts';

const reports = await readResults();
const options = reportOf(reports, 'options');

/** Returns an event's counts, rounded because the circuit breaker is read again every few seconds. */
const counted = (part: string, title: string, kind: string) =>
  Object.fromEntries(
    Object.entries(countsOf(reportOf(reports, part), title, kind)).flatMap(([name, count]) => {
      const whole = name.includes('invocations') ? count : Math.round(count);
      return whole === 0 ? [] : [[name, whole]];
    }),
  );
const without = (kind: string) => counted('options', 'Without options: counted per event', kind);
const added = (event: string) =>
  Object.fromEntries(
    COUNTS.flatMap(([what]) => {
      const more = Math.round(figureOf(options, `${event}: ${what} more`));
      return more === 0 || what === 'invocations' ? [] : [[what, more]];
    }),
  );
const monthly = (option: string) => figureOf(options, `${option}: dollars more a month without any message`);

describe('the stored results of keywords, operators, conditions, and the bulk queue', () => {
  it.each([
    ['message', 'inbound message'],
    ['send', 'send, free-form'],
  ])('show that options that are off cost nothing: %s, with the counts of the part "cost"', (kind, costKind) => {
    expect(without(kind)).toEqual(counted('cost', 'Parley: counted per event', costKind));
    expect(Object.keys(without(kind))).toContain('write request units, table');
  });

  it.each([
    ['keyword', 'message'],
    ['automated send', 'send'],
  ])('show that without the settings, these cost the same: %s, %s', (kind, other) => {
    expect(without(kind)).toEqual(without(other));
  });

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
  ])('count what the documents and the tests of the functions say: %s', (event, more) => {
    expect(added(event)).toEqual(more);
    const row = options.tables[0]?.rows.find(([name]) => name === event)?.slice(1) ?? [];
    expect(row.length).toBeGreaterThan(0);
    // Noise is not shown as a price.
    if (Object.keys(more).length === 0) expect(new Set(row)).toEqual(new Set(['0.00']));
  });

  it('show that the confirmation costs a send, and the request with which receive queues it', () => {
    const { 'write request units, table': table = 0, 'write request units, indexes': indexes = 0 } = without('send');
    const keyword = added('keywords: keyword')['write units'] ?? 0;
    expect(added('keywords with confirmation: opt-out')).toMatchObject({
      'write units': keyword + table + indexes + 1,
      'read units': without('send')['read request units'],
      'SQS requests': (without('send')['SQS requests, FIFO'] ?? 0) + 1,
    });
  });

  it('show that only the bulk queue costs something in a month without messages', () => {
    expect([monthly('keywords'), monthly('keywords with confirmation'), monthly('operators')]).toEqual([0, 0, 0]);
    // Three alarms, and five pollers that each receive from a FIFO queue every 20 seconds.
    expect(monthly('bulk queue')).toBeCloseTo(3 * 0.1 + ((5 * 730 * 3600) / 20 / 1e6) * 0.5, 2);
  });
});
