import { DamagedItemError } from '../../lambdas/domain/errors.ts';
import type { SendRecord } from '../../lambdas/domain/send.ts';
import { type Item, JSON_TEXTS } from '../../lambdas/table/item.ts';
import { customerIdIn, idOf, parseContactName } from '../../lambdas/table/keys.ts';
import { publishedKind } from '../../lambdas/table/published-items.ts';
import { parseSend } from '../../lambdas/table/send-item.ts';
import type { ItemSubject } from '../../sandbox/base/inspector.ts';
import { isObject, parseJson } from '../base/json.ts';

/** What the console needs to know about an item of the table. */
export interface StoredItem extends ItemSubject {
  /** Its key as one string. */
  readonly key: string;
  /** The ID in its key. */
  readonly id: string;
  /** Whether it was removed. Only its key is known then. */
  readonly isRemoved: boolean;
  /** Whether it has the circuit breaker and an operator's stop. */
  readonly isAccount: boolean;
  readonly send?: SendRecord | undefined;
  /** The furthest status of a message that Parley sent. */
  readonly status?: string | undefined;
}

/** Reads an item. A damaged send is an item like any other, so that it hides no other sends. */
export const readStored = (item: Item, isRemoved = false): StoredItem => {
  const [pk, sk] = [String(item.pk), String(item.sk)];
  const kind = publishedKind(pk, sk);
  return {
    key: keyText(item),
    id: idOf(pk),
    isRemoved,
    isAccount: kind === 'account',
    contactKey: parseContactName(pk)?.key,
    customerId: customerIdIn(pk),
    send: kind === 'send' ? readSend(item) : undefined,
    status: kind === 'message' ? STATUSES.find((status) => item[`${status}At`] !== undefined) : undefined,
  };
};

/** The statuses of a message, furthest first. What was delivered has not failed, whatever arrives later. */
export const STATUSES = ['answered', 'read', 'delivered', 'failed', 'sent'] as const;

/** Returns an item's key as one string. */
export const keyText = ({ pk, sk }: Item): string => `${pk} ${sk}`;

/** Returns undefined if the item is damaged, or has no state yet because every attempt to process the request failed. */
export const readSend = (item: Item): SendRecord | undefined => unlessDamaged(() => parseSend(item));

/** Returns undefined for a damaged item, whose text is shown all the same. */
export const unlessDamaged = <Read>(read: () => Read): Read | undefined => {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedItemError) return undefined;
    throw error;
  }
};

/**
 * Returns an item as JSON text. Its attributes are sorted after its key, because DynamoDB returns them in no order. The
 * requests and events in it are its JSON, so that their numbers, duplicate keys, and order stay as they are.
 */
export const itemText = ({ pk, sk, ...attributes }: Item): string => {
  const fields = Object.entries({ pk, sk, ...sorted(attributes) }).map(
    ([name, value]) =>
      `${JSON.stringify(name)}:${JSON_TEXTS.includes(name) ? embed(value) : JSON.stringify(value, plain)}`,
  );
  return `{${fields.join(',')}}`;
};

/** Returns a string that contains JSON as that JSON, also within a set. */
const embed = (value: unknown): string => {
  if (value instanceof Set) return `[${[...value].toSorted().map(embed).join(',')}]`;
  const isJson = typeof value === 'string' && /^\s*[[{]/.test(value) && parseJson(value) !== undefined;
  return isJson ? value : JSON.stringify(value);
};

/** Sorts the keys of maps, and the members of sets, which DynamoDB returns in no order. */
const plain = (_name: string, value: unknown): unknown => {
  if (value instanceof Set) return [...value].toSorted();
  return isObject(value) ? sorted(value) : value;
};

const sorted = (map: Item): Item =>
  Object.fromEntries(Object.entries(map).toSorted(([one], [other]) => (one < other ? -1 : 1)));
