const numbers = new Map<string, number>();

/** Returns a number for a text, the same for equal texts and different for different ones. */
export const intern = (text: string): number => {
  const known = numbers.get(text);
  if (known !== undefined) return known;
  numbers.set(text, numbers.size);
  return numbers.size - 1;
};

/** Frees the memory of all texts. The numbers given so far must not be used any more. */
export const forgetInterned = (): void => numbers.clear();

const texts = new WeakMap<object, string>();

/** Writes a value as JSON. An object is written once: it must never change. */
export const serialize = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = Array.isArray(value) ? `[${value.map(serialize).join()}]` : JSON.stringify(value);
  texts.set(value, text);
  return text;
};

/** Creates a set that JSON shows with its members. */
export const storedSet = (members: Iterable<unknown>): ReadonlySet<unknown> => {
  const set = new Set(members);
  return Object.defineProperty(set, 'toJSON', { value: () => [...set].toSorted() });
};
