import { describe, expect, it } from 'vitest';
import {
  itemSize,
  type RawItem,
  readUnits,
  readUnitsOf,
  storedBytes,
  type TableShape,
  writeUnits,
} from '../../../bench/request-units.ts';

const KB = 1024;
/** An item of an exact size: the names `pk` and `body` have six bytes, and the key one. */
const itemOf = (bytes: number, more: RawItem = {}): RawItem => ({
  pk: { S: 'k' },
  body: { S: 'x'.repeat(bytes - 7) },
  ...more,
});
const TABLE: TableShape = { keys: ['pk'], indexes: [] };

describe('the size of an item', () => {
  it.each<[string, RawItem, number]>([
    ['counts UTF-8 bytes of names and strings', { ñ: { S: 'año' } }, 2 + 4],
    ['counts a byte for two digits and one more', { n: { N: '12345' } }, 1 + 3 + 1],
    ['leaves out zeros at both ends of a number', { n: { N: '0.00123000' } }, 1 + 2 + 1],
    ['counts a byte for a Boolean and for null', { a: { BOOL: true }, b: { NULL: true } }, 2 + 2],
    ['counts the raw bytes of a binary value', { b: { B: new Uint8Array(10) } }, 1 + 10],
    ['counts three bytes for an empty map or list', { m: { M: {} }, l: { L: [] } }, 4 + 4],
    ['counts a byte for each member', { l: { L: [{ S: 'ab' }, { S: 'c' }] }, m: { M: { k: { S: 'v' } } } }, 9 + 7],
    ['counts the members of a set', { s: { SS: ['ab', 'c'] } }, 1 + 3],
  ])('%s', (_rule, item, size) => {
    expect(itemSize(item)).toBe(size);
  });
});

describe('reads, as in the examples of DynamoDB', () => {
  it('round the item up to 4 KB', () => {
    expect(readUnits(itemOf(3_500), 'strong')).toBe(1);
    expect(readUnits(itemOf(8 * KB), 'strong')).toBe(2);
    expect(readUnits(itemOf(8 * KB), 'eventual')).toBe(1);
    expect(readUnits(itemOf(8 * KB), 'transactional')).toBe(4);
    expect(readUnits(itemOf(10 * KB), 'strong')).toBe(3);
  });

  it('cost a unit for a missing item, or half of one', () => {
    expect(readUnits(undefined, 'strong')).toBe(1);
    expect(readUnits(undefined, 'eventual')).toBe(0.5);
  });

  it('of a query add the sizes up before they are rounded', () => {
    expect(readUnitsOf(40.8 * KB, 'strong')).toBe(11);
  });
});

describe('writes, as in the examples of DynamoDB', () => {
  const put = (after: RawItem | undefined, before?: RawItem) => writeUnits({ before, after }, TABLE).table;

  it('round the item up to 1 KB', () => {
    expect(put(itemOf(500))).toBe(1);
    expect(put(itemOf(KB))).toBe(1);
    expect(put(itemOf(KB + 1))).toBe(2);
    expect(put(itemOf(3.5 * KB))).toBe(4);
  });

  it('count the larger one of the old and the new item', () => {
    expect(put(itemOf(500), itemOf(2 * KB))).toBe(2);
    expect(put(undefined, itemOf(3 * KB))).toBe(3);
  });

  it('cost twice as much in a transaction', () => {
    expect(writeUnits({ before: undefined, after: itemOf(3 * KB) }, TABLE, { isTransactional: true }).table).toBe(6);
  });

  it('cost at least a unit if the condition fails, and nothing in an index', () => {
    expect(put(undefined)).toBe(1);
    const same = itemOf(1_900, { contact: { S: 'c' }, sort: { S: 's' } });
    expect(writeUnits({ before: same, after: same }, INDEXED)).toEqual({ table: 2, indexes: 0 });
  });
});

const INDEXED: TableShape = {
  keys: ['pk'],
  indexes: [{ name: 'byContact', keys: ['contact', 'sort'], projected: [] }],
};
const KEYS: RawItem = { contact: { S: 'c' }, sort: { S: 's' } };

describe('an index', () => {
  const indexUnits = (before: RawItem | undefined, after: RawItem | undefined, table = INDEXED) =>
    writeUnits({ before, after }, table).indexes;

  it('costs a unit for a new entry, of the projected attributes alone', () => {
    expect(indexUnits(undefined, itemOf(5 * KB, KEYS))).toBe(1);
    const all: TableShape = { keys: ['pk'], indexes: [{ name: 'all', keys: ['contact', 'sort'], projected: 'all' }] };
    expect(indexUnits(undefined, itemOf(4.9 * KB, KEYS), all)).toBe(5);
  });

  it('costs nothing for an item without its keys', () => {
    expect(indexUnits(undefined, itemOf(500, { contact: { S: 'c' } }))).toBe(0);
  });

  it('costs nothing if neither its keys nor its projected attributes change', () => {
    expect(indexUnits(itemOf(500, KEYS), itemOf(900, KEYS))).toBe(0);
  });

  it('costs one write for a changed projected attribute, and two for a changed key', () => {
    const projecting: TableShape = {
      keys: ['pk'],
      indexes: [{ name: 'states', keys: ['contact', 'sort'], projected: ['body'] }],
    };
    expect(indexUnits(itemOf(500, KEYS), itemOf(900, KEYS), projecting)).toBe(1);
    expect(indexUnits(itemOf(500, KEYS), itemOf(500, { ...KEYS, sort: { S: 't' } }))).toBe(2);
  });

  it('costs as much in a transaction as outside of one', () => {
    const write = { before: undefined, after: itemOf(500, KEYS) };
    expect(writeUnits(write, INDEXED, { isTransactional: true })).toEqual({ table: 2, indexes: 1 });
  });

  it('costs a write for an entry that goes', () => {
    expect(indexUnits(itemOf(500, KEYS), undefined)).toBe(1);
  });

  it('adds its entries and 100 bytes each to the storage', () => {
    expect(storedBytes(itemOf(500, KEYS), INDEXED)).toEqual({ table: 513 + 100, indexes: 3 + 13 + 100 });
    expect(storedBytes(undefined, INDEXED)).toEqual({ table: 0, indexes: 0 });
  });
});
