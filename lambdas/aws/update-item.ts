import type { UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { ItemKey } from './table-keys.ts';

export interface ItemUpdate {
  readonly key: ItemKey;
  /** Attributes to set; one that is undefined is removed, so that the item says just what this update says. */
  readonly set: Readonly<Record<string, unknown>>;
  /** Further clauses of the expression, and further values, by the names `#attribute` and `:attribute`. */
  readonly alsoSet?: readonly string[];
  readonly values?: Readonly<Record<string, unknown>>;
  /** Members to add to sets. */
  readonly add?: Readonly<Record<string, ReadonlySet<string>>>;
  readonly condition?: string;
  /** Attributes that the condition or a further clause names beside those in `set`. */
  readonly names?: readonly string[];
}

/** One UpdateItem: every attribute goes by `#attribute`, its value by `:attribute`, in the condition too. */
export const updateItem = (tableName: string, update: ItemUpdate): UpdateItemCommandInput => {
  const entries = Object.entries(update.set);
  const present = entries.filter(([, value]) => value !== undefined);
  const removed = entries.filter(([, value]) => value === undefined);
  const sets = [...present.map(([name]) => `#${name} = :${name}`), ...(update.alsoSet ?? [])];
  const removes = removed.map(([name]) => `#${name}`);
  const adds = Object.keys(update.add ?? {}).map((name) => `#${name} :${name}`);
  const values = { ...Object.fromEntries(present), ...update.values, ...update.add };
  return {
    TableName: tableName,
    Key: marshall(update.key),
    UpdateExpression: [clause('SET', sets), clause('REMOVE', removes), clause('ADD', adds)].join(' ').trim(),
    ConditionExpression: update.condition,
    ExpressionAttributeNames: Object.fromEntries(
      [...entries.map(([name]) => name), ...Object.keys(update.add ?? {}), ...(update.names ?? [])].map((name) => [
        `#${name}`,
        name,
      ]),
    ),
    ExpressionAttributeValues: marshall(
      Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
      { removeUndefinedValues: true },
    ),
  };
};

const clause = (keyword: string, parts: readonly string[]): string =>
  parts.length === 0 ? '' : `${keyword} ${parts.join(', ')}`;

/** TTL: whole seconds since the epoch. */
export const expiryOf = (instant: string, retentionDays: number): number =>
  Math.floor(Date.parse(instant) / 1000) + retentionDays * 24 * 60 * 60;
