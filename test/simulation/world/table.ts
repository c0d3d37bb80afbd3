import type { ItemUpdate } from '../../../lambdas/adapters/dynamodb/item-update.ts';
import type { ConversationTable, QueryPage, WriteOutcome } from '../../../lambdas/adapters/dynamodb/table.ts';
import { WriteRefusedError } from '../../../lambdas/domain/errors.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import type { ItemKey } from '../../../lambdas/table/keys.ts';
import { RETENTION_DAYS } from '../../support/builders.ts';
import { parseCondition } from './condition.ts';
import { itemBytes } from './item-size.ts';
import { storedSet } from './serialize.ts';
import { both, deletionOf, queryOf, readOf, type Touches, updateOf } from './touches.ts';

type Query = Parameters<ConversationTable['query']>[0];

/** An item before and after a write. */
export interface ItemWrite {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/** The stored items, and the operations of the table, each at once. */
export interface TableState {
  /** The items by `pk sk`. An item is replaced, never changed. */
  readonly items: ReadonlyMap<string, Item>;
  get(key: ItemKey): Item | undefined;
  update(update: ItemUpdate, options?: { readonly returnItem: boolean }): WriteOutcome;
  updateBoth(first: ItemUpdate, second: ItemUpdate): Awaited<ReturnType<ConversationTable['updateBoth']>>;
  delete: (...parameters: Parameters<ConversationTable['delete']>) => boolean;
  query(query: Query): QueryPage;
  put(item: Item): void;
}

/**
 * Runs an operation when it is its turn. `label` says what the operation does, `update` what it writes, and `touches`
 * which items and which parts of an index.
 */
export type TakeTurn = <Answer>(
  label: string,
  perform: () => Answer,
  update?: ItemUpdate,
  touches?: () => Touches,
) => Promise<Answer>;

export const nameOf = ({ pk, sk }: { readonly pk?: unknown; readonly sk?: unknown }): string => `${pk} ${sk}`;

/** Creates the stored items of a conversation table. */
export const createTableState = (onWrite: (write: ItemWrite) => void = () => undefined): TableState => {
  const items = new Map<string, Item>();

  const store = (name: string, before: Item | undefined, after: Item | undefined): void => {
    if (after === undefined) items.delete(name);
    else items.set(name, after);
    onWrite({ before, after });
  };

  /** Returns the item before and after an update. The item after is undefined if the condition does not hold. */
  const plan = ({ key, ...update }: ItemUpdate): ItemWrite & { readonly key: ItemKey } => {
    const before = items.get(nameOf(key));
    const condition = conditionOf(update.condition, declarationsOf(update));
    if (condition && !condition(before ?? {})) return { key, before, after: undefined };
    const after = applied({ ...key, ...before }, update);
    if (itemBytes(after) > MAX_ITEM_BYTES) throw new WriteRefusedError('The item is too large for the table.');
    return { key, before, after };
  };

  return {
    items,
    get: (key) => items.get(nameOf(key)),
    update(update, { returnItem } = { returnItem: false }) {
      const { before, after } = plan(update);
      if (after === undefined) return { kind: 'conflict', item: before };
      store(nameOf(update.key), before, after);
      return { kind: 'written', item: returnItem ? after : undefined };
    },
    updateBoth(...updates) {
      const plans = updates.map(plan);
      const conflict = plans.findIndex(({ after }) => after === undefined);
      if (conflict >= 0) return conflict === 0 ? 'first-conflicts' : 'second-conflicts';
      for (const { key, before, after } of plans) store(nameOf(key), before, after);
      return 'written';
    },
    delete(key, condition, values) {
      const before = items.get(nameOf(key));
      const holds = conditionOf(condition, declarationsOf({ values }));
      if (holds && !holds(before ?? {})) return false;
      if (before) store(nameOf(key), before, undefined);
      return before !== undefined;
    },
    query: (query) => queryIndex([...items.values()], query),
    put(item) {
      const stored = Object.entries(item).map(([name, value]) => [name, toStored(value)]);
      store(nameOf(item), items.get(nameOf(item)), inOrder(Object.fromEntries(stored)));
    },
  };
};

/** Lets repositories work on a table in memory, each operation at its turn. */
export const createSimulatedTable = (state: TableState, takeTurn: TakeTurn): ConversationTable => ({
  get: (key) =>
    takeTurn(
      `read ${key.pk}`,
      () => state.get(key),
      undefined,
      () => readOf([key]),
    ),
  // The adapter makes no call for no keys.
  getAll: async (keys) => {
    if (keys.length === 0) return [];
    const label = `read ${[...new Set(keys.map(({ pk }) => pk))].join(' and ')}`;
    return takeTurn(
      label,
      () => keys.map((key) => state.get(key)),
      undefined,
      () => readOf(keys),
    );
  },
  update: (update, options) =>
    takeTurn(
      labelOf(update),
      () => state.update(update, options),
      update,
      () => updateOf(update, state.get(update.key)),
    ),
  updateBoth: (first, second) =>
    takeTurn(
      `${labelOf(first)} and ${second.key.pk}`,
      () => state.updateBoth(first, second),
      first,
      () => both(updateOf(first, state.get(first.key)), updateOf(second, state.get(second.key))),
    ),
  delete: (key, ...rest) =>
    takeTurn(
      `delete ${key.pk}`,
      () => state.delete(key, ...rest),
      undefined,
      () => deletionOf(key, state.get(key)),
    ),
  query: (query) =>
    takeTurn(
      `query ${query.IndexName}`,
      () => state.query(query),
      undefined,
      () => queryOf(query),
    ),
  expiryOf: (kind, instant) => Math.floor(Date.parse(instant) / 1000) + RETENTION_DAYS[kind] * 24 * 60 * 60,
});

const labelOf = ({ key, set = {} }: ItemUpdate): string => {
  const state = set.state ?? set.circuit;
  const name = key.sk.startsWith('PART#') ? `${key.pk} PART` : key.pk;
  return state === undefined ? `write ${name}` : `write ${name} as ${String(state)}`;
};

/** Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
const MAX_ITEM_BYTES = 400 * 1024;

/** The values that a request declares; value `x` is `:x`. */
interface Declarations {
  valueOf(name: string): unknown;
  /** The values that only the condition can use. */
  readonly further: readonly string[];
}

const declarationsOf = (update: Omit<ItemUpdate, 'key'>): Declarations => {
  const { set = {}, setOnce = {}, add = {}, drop = {}, values = {} } = update;
  const assignedValue = (name: string): unknown => set[name] ?? setOnce[name] ?? add[name] ?? drop[name];
  return {
    valueOf: (name) => values[name] ?? assignedValue(name),
    further: Object.keys(values)
      .filter((name) => values[name] !== undefined && assignedValue(name) === undefined)
      .map((name) => `:${name}`),
  };
};

/** DynamoDB rejects an expression that uses what is not declared, and a declaration that no expression uses. */
const conditionOf = (
  expression: string | undefined,
  { valueOf: valueNamed, further }: Declarations,
): ((item: Item) => boolean) | undefined => {
  const condition = expression === undefined ? undefined : parseCondition(expression);
  const used = condition?.placeholders ?? [];
  const isDeclared = (placeholder: string): boolean =>
    placeholder.startsWith('#') || valueNamed(placeholder.slice(1)) !== undefined;
  const missing = used.find((placeholder) => !isDeclared(placeholder));
  if (missing) throw new WriteRefusedError(`The condition uses ${missing}, which the request does not declare.`);
  const unused = further.find((placeholder) => !used.includes(placeholder));
  if (unused) throw new WriteRefusedError(`The request declares ${unused}, which no expression uses.`);
  const operands = {
    nameOf: (placeholder: string) => placeholder.slice(1),
    valueOf: (placeholder: string) => valueNamed(placeholder.slice(1)),
  };
  return condition && ((item) => condition.holds({ item, ...operands }));
};

const applied = (before: Item, update: Omit<ItemUpdate, 'key'>): Item => {
  const { set = {}, setOnce = {}, increment = [], add = {}, drop = {} } = update;
  const after: Item = { ...before };
  for (const [name, value] of Object.entries(set)) {
    if (value === undefined) delete after[name];
    else after[name] = toStored(value);
  }
  for (const [name, value] of Object.entries(setOnce)) after[name] ??= toStored(value);
  for (const name of increment) after[name] = Number(before[name] ?? 0) + 1;
  for (const [name, members] of Object.entries(add)) {
    const present = before[name];
    after[name] = storedSet([...(present instanceof Set ? present : []), ...members]);
  }
  for (const [name, members] of Object.entries(drop)) {
    const present = before[name];
    const left = new Set([...(present instanceof Set ? present : [])].filter((member) => !members.has(member)));
    // DynamoDB stores no empty set.
    if (left.size === 0) delete after[name];
    else after[name] = storedSet([...left]);
  }
  return inOrder(after);
};

/** Equal items are written as equal texts, whatever order their attributes were set in. */
const inOrder = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** Copies a value as it would be read again: without undefined members. */
const toStored = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return value;
  if (value instanceof Set) return storedSet(value);
  return typeof value === 'object' && value !== null ? JSON.parse(JSON.stringify(value)) : value;
};

/** The sort attribute of each index; its partition is the first name in the key condition. */
const SORT_OF: Readonly<Record<string, string>> = {
  byContact: 'contactSort',
  byState: 'stateAt',
  byBroadcast: 'broadcastState',
};

const queryIndex = (items: readonly Item[], query: Query): QueryPage => {
  const { IndexName = '', KeyConditionExpression = '', ExpressionAttributeNames = {}, values, after, ...rest } = query;
  const { ScanIndexForward = true, Limit = Number.POSITIVE_INFINITY, ...unknown } = rest;
  const sort = SORT_OF[IndexName];
  const [parameter] = Object.keys(unknown);
  if (parameter || sort === undefined) {
    throw new Error(`The simulated table does not know the query parameter ${parameter ?? `IndexName ${IndexName}`}.`);
  }
  const operands = {
    nameOf: (placeholder: string) => ExpressionAttributeNames[placeholder],
    valueOf: (placeholder: string) => values[placeholder.slice(1)],
  };
  const { holds } = parseCondition(KeyConditionExpression);
  const position = (item: Item): string => JSON.stringify([item[sort], item.pk, item.sk]);
  const found = items
    .filter((item) => item[sort] !== undefined && holds({ item, ...operands }))
    .toSorted((one, other) => (position(one) < position(other) ? -1 : 1));
  const ordered = ScanIndexForward ? found : found.toReversed();
  // The item at this position may have been deleted since.
  const isLater = (item: Item, last: Item): boolean =>
    ScanIndexForward ? position(item) > position(last) : position(item) < position(last);
  const page = (after === undefined ? ordered : ordered.filter((item) => isLater(item, after))).slice(0, Limit);
  const last = page.at(-1);
  // DynamoDB returns a position after a full page even when nothing follows.
  const next = last && page.length === Limit ? keyIn(last, sort, ExpressionAttributeNames) : undefined;
  return { items: page.map((item) => keyIn(item, sort, ExpressionAttributeNames)), next };
};

/** The indexes have keys only. */
const keyIn = (item: Item, sort: string, names: Readonly<Record<string, string>>): Item => {
  const key: Item = { pk: item.pk, sk: item.sk, [sort]: item[sort] };
  for (const name of Object.values(names)) key[name] = item[name];
  return key;
};
