import { describe, expect, it } from 'vitest';
import { figureOf, reportOf } from '../../../bench/report.ts';
import { readResults } from '../../../bench/results.ts';
import { countsOf } from './counts-of.ts';

const reports = await readResults();

describe('the stored results of turns', () => {
  const turns = reportOf(reports, 'turns');
  const off = countsOf(turns, 'Counted per message', 'turns off, one in a row');
  const on = countsOf(turns, 'Counted per message', 'turns on, one per turn');

  it('show that turns that are off cost nothing: a message has the counts of the part "cost"', () => {
    expect(off).toEqual(countsOf(reportOf(reports, 'cost'), 'Parley: counted per event', 'inbound message'));
    expect(Object.keys(off)).toContain('write request units, table');
    expect(on).not.toEqual(off);
  });

  it('count a transaction of two writes and a deletion, and nothing more in the indexes', () => {
    expect(on).toMatchObject({
      'dynamodb TransactWriteItems': 1,
      'dynamodb DeleteItem': 1,
      'write request units, table': (off['write request units, table'] ?? 0) + 1 + 2 + 1,
      'write request units, indexes': off['write request units, indexes'],
    });
    expect(figureOf(turns, 'write units per message, 1 per turn')).toBe(4);
  });
});
