import { LocalError } from '../local-error.ts';
import { isObject, soleEntry } from '../template/intrinsics.ts';

/** Whether an event fits a pattern. */
export type MatchesEvent = (event: unknown) => boolean;

type MatchesValue = (value: unknown) => boolean;

/**
 * Reads an event pattern, as rules of EventBridge and filters of event source mappings write it.
 *
 * Known here: nested fields, and for each a list of which one must fit: a text, number, boolean or null as it is;
 * `prefix`; `suffix`; `exists`; `anything-but` with a text, a number or a list of them.
 *
 * @param place What the pattern belongs to, for the sentence that refuses it.
 * @throws LocalError for anything else.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
 */
export const readEventPattern = (pattern: unknown, place: string): MatchesEvent => {
  if (!isObject(pattern)) throw unknown(place, pattern);
  const fields = Object.entries(pattern).map(([name, expected]) => {
    const fits = Array.isArray(expected)
      ? readAlternatives(expected, `${place}.${name}`)
      : readEventPattern(expected, `${place}.${name}`);
    return { name, fits };
  });
  if (fields.some(({ name }) => name.startsWith('$'))) throw unknown(place, pattern);
  return (event) => fields.every(({ name, fits }) => fits(isObject(event) ? event[name] : undefined));
};

const readAlternatives = (expected: readonly unknown[], place: string): MatchesValue => {
  const alternatives = expected.map((one) => readAlternative(one, place));
  // A field that is a list fits when one of its values does.
  return (value) => alternatives.some((fits) => (Array.isArray(value) ? value.some(fits) : fits(value)));
};

const readAlternative = (expected: unknown, place: string): MatchesValue => {
  if (isPlain(expected)) return (value) => value === expected;
  const [operator, operand] = soleEntry(expected) ?? [];
  if (operator === 'prefix' && typeof operand === 'string') return (value) => text(value)?.startsWith(operand) ?? false;
  if (operator === 'suffix' && typeof operand === 'string') return (value) => text(value)?.endsWith(operand) ?? false;
  if (operator === 'exists' && typeof operand === 'boolean') return (value) => (value !== undefined) === operand;
  if (operator === 'anything-but') {
    const excluded: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
    if (excluded.every(isPlain)) return (value) => value !== undefined && !excluded.includes(value);
  }
  throw unknown(place, expected);
};

const isPlain = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const unknown = (place: string, pattern: unknown): LocalError =>
  new LocalError(
    `${place}: the local run does not know this event pattern: ${JSON.stringify(pattern)}; teach it to local/events.`,
  );
