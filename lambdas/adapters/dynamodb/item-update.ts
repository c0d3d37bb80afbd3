import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Item } from '../../table/item.ts';
import type { ItemKey } from '../../table/keys.ts';

/**
 * An UpdateItem request. In `condition`, `#x` is the attribute `x`, and `:x` its value in `set`, `setOnce`, or
 * `values`.
 */
export interface ItemUpdate {
  readonly key: ItemKey;
  /** Attributes to set, or to remove if their value is undefined. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Attributes to set unless the item already has them. */
  readonly setOnce?: Readonly<Record<string, unknown>>;
  /** Numbers to increment by one. */
  readonly increment?: readonly string[];
  /** Members to add to sets. */
  readonly add?: Readonly<Record<string, ReadonlySet<string>>>;
  /** Members to remove from sets. */
  readonly drop?: Readonly<Record<string, ReadonlySet<string>>>;
  readonly condition?: string;
  /** Additional values that the condition uses. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** Returns the condition, with its values, that these attributes of an item that was read have not changed since. */
export const unchangedSince = (
  item: Item,
  names: readonly string[],
): { readonly condition: string; readonly values: Item } => ({
  condition: names
    .map((name) => (item[name] === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}Before`))
    .join(' AND '),
  values: Object.fromEntries(names.map((name) => [`${name}Before`, item[name]])),
});

/** Returns the key and the expressions of an UpdateItem request. */
export const updateExpressions = ({
  key,
  set = {},
  setOnce = {},
  increment = [],
  add = {},
  drop = {},
  ...rest
}: ItemUpdate) => {
  const present = Object.entries(set).filter(([, value]) => value !== undefined);
  const removed = Object.entries(set).filter(([, value]) => value === undefined);
  const assignments = [
    ...present.map(([name]) => `#${name} = :${name}`),
    ...Object.keys(setOnce).map((name) => `#${name} = if_not_exists(#${name}, :${name})`),
    ...increment.map((name) => `#${name} = if_not_exists(#${name}, :zero) + :one`),
  ];
  const expression = [
    clause('SET', assignments),
    clause(
      'REMOVE',
      removed.map(([name]) => `#${name}`),
    ),
    clause(
      'ADD',
      Object.keys(add).map((name) => `#${name} :${name}`),
    ),
    clause(
      'DELETE',
      Object.keys(drop).map((name) => `#${name} :${name}`),
    ),
  ];
  const names = Object.keys({ ...set, ...setOnce, ...add, ...drop });
  const values = valuesOf({
    ...Object.fromEntries(present),
    ...setOnce,
    ...(increment.length > 0 && { zero: 0, one: 1 }),
    ...add,
    ...drop,
    ...rest.values,
  });
  return {
    Key: marshall(key),
    UpdateExpression: expression.filter((part) => part !== '').join(' '),
    ConditionExpression: rest.condition,
    ExpressionAttributeNames: { ...namesOf([...names, ...increment]), ...namesIn(rest.condition) },
    // DynamoDB refuses an empty map.
    ExpressionAttributeValues: Object.keys(values).length === 0 ? undefined : values,
  };
};

const clause = (keyword: string, parts: readonly string[]): string =>
  parts.length === 0 ? '' : `${keyword} ${parts.join(', ')}`;

const namesOf = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`#${name}`, name]));

/** Returns the attribute names that a condition uses: `#x` is the attribute `x`. */
export const namesIn = (condition = ''): Record<string, string> => namesOf(condition.match(/(?<=#)\w+/g) ?? []);

export const valuesOf = (values: Readonly<Record<string, unknown>>): Record<string, AttributeValue> =>
  marshall(Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])), {
    removeUndefinedValues: true,
  });
