import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

// DynamoDB's documented rules for the size of items and for the units that on-demand tables are billed by.
// Sizes: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
// Units: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
// Indexes: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html
// Transactions: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html, "Capacity
// management for transactions"

export type RawItem = Readonly<Record<string, AttributeValue>>;

/** A secondary index, as `DescribeTable` shows it. */
export interface Index {
  readonly name: string;
  /** Its own key attributes. An item without one of them is not in the index. */
  readonly keys: readonly string[];
  /** The attributes that it holds besides keys, or all of them. */
  readonly projected: readonly string[] | 'all';
}

export interface TableShape {
  readonly keys: readonly string[];
  readonly indexes: readonly Index[];
}

/** DynamoDB counts 1,024 bytes as 1 KB. */
const KB = 1024;
const READ_UNIT_BYTES = 4 * KB;
const NESTED_OVERHEAD = 3;
const MEMBER_OVERHEAD = 1;
/** Billed storage only: the units do not include it. */
export const INDEXING_OVERHEAD = 100;

const utf8 = (text: string): number => Buffer.byteLength(text);

/** One byte for every two significant digits and one more, and another for a negative number's sign. */
const numberSize = (text: string): number => {
  const [mantissa = ''] = text.toLowerCase().split('e');
  const digits = mantissa.replace(/[+-]/, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '');
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const valueSize = (value: AttributeValue): number => {
  if (value.S !== undefined) return utf8(value.S);
  if (value.N !== undefined) return numberSize(value.N);
  if (value.B !== undefined) return value.B.length;
  if (value.SS !== undefined) return sum(value.SS.map(utf8));
  if (value.NS !== undefined) return sum(value.NS.map(numberSize));
  if (value.BS !== undefined) return sum(value.BS.map((one) => one.length));
  if (value.L !== undefined) return NESTED_OVERHEAD + sum(value.L.map((one) => MEMBER_OVERHEAD + valueSize(one)));
  if (value.M !== undefined) return NESTED_OVERHEAD + Object.keys(value.M).length * MEMBER_OVERHEAD + itemSize(value.M);
  return 1;
};

/** Returns the size of an item in bytes, which both units and storage are counted by. */
export const itemSize = (item: RawItem): number =>
  sum(Object.entries(item).map(([name, value]) => utf8(name) + valueSize(value)));

/** Returns the units of reading one item, which may be missing. */
export const readUnits = (item: RawItem | undefined, consistency: 'strong' | 'eventual' | 'transactional'): number =>
  readUnitsOf(item ? itemSize(item) : 0, consistency);

/** Returns the units of reading this many bytes at once, as a query does. */
export const readUnitsOf = (bytes: number, consistency: 'strong' | 'eventual' | 'transactional'): number => {
  const units = Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES));
  if (consistency === 'eventual') return units / 2;
  return consistency === 'transactional' ? 2 * units : units;
};

const writeUnitsOf = (...sizes: readonly number[]): number => Math.max(1, Math.ceil(Math.max(...sizes) / KB));

/** An item before and after a write. A failed condition leaves both the same. */
export interface ItemWrite {
  readonly before: RawItem | undefined;
  readonly after: RawItem | undefined;
}

/** Returns the part of an item that an index holds, or undefined if the index does not hold the item. */
export const indexEntry = (item: RawItem | undefined, index: Index, table: TableShape): RawItem | undefined => {
  if (item === undefined || index.keys.some((key) => item[key] === undefined)) return undefined;
  const { projected } = index;
  if (projected === 'all') return item;
  const names = new Set([...table.keys, ...index.keys, ...projected]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
};

const indexWriteUnits = (before: RawItem | undefined, after: RawItem | undefined, index: Index): number => {
  if (before === undefined && after === undefined) return 0;
  if (before === undefined || after === undefined) return writeUnitsOf(itemSize(before ?? after ?? {}));
  const isMoved = index.keys.some((key) => !isDeepStrictEqual(before[key], after[key]));
  // The entry under the old key is deleted, and one under the new key is put.
  if (isMoved) return writeUnitsOf(itemSize(before)) + writeUnitsOf(itemSize(after));
  return isDeepStrictEqual(before, after) ? 0 : writeUnitsOf(itemSize(before), itemSize(after));
};

/**
 * Returns the units of a write: those of the table, which a failed condition costs as well, and those of its indexes.
 *
 * A transaction prepares and commits each item of the table, which doubles its units. The changes reach the indexes
 * after the transaction has completed, as those of other writes do. Source, which measured it on AWS:
 * https://github.com/nubo-db/dynoxide/pull/188
 */
export const writeUnits = (
  { before, after }: ItemWrite,
  table: TableShape,
  { isTransactional = false } = {},
): { readonly table: number; readonly indexes: number } => {
  const own = writeUnitsOf(before ? itemSize(before) : 0, after ? itemSize(after) : 0);
  const indexes = table.indexes.map((index) =>
    indexWriteUnits(indexEntry(before, index, table), indexEntry(after, index, table), index),
  );
  return { table: isTransactional ? 2 * own : own, indexes: sum(indexes) };
};

/** Returns the bytes that an item adds to the billed storage of the table and of its indexes. */
export const storedBytes = (item: RawItem | undefined, table: TableShape): { table: number; indexes: number } => {
  if (item === undefined) return { table: 0, indexes: 0 };
  const entries = table.indexes.map((index) => indexEntry(item, index, table));
  return {
    table: itemSize(item) + INDEXING_OVERHEAD,
    indexes: sum(entries.map((entry) => (entry ? itemSize(entry) + INDEXING_OVERHEAD : 0))),
  };
};
