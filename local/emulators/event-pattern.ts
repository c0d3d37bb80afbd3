import { isObject, soleEntry } from '../base/json.ts';
import { type LocalError, unsupported } from '../base/local-error.ts';

/** Returns whether an event matches a pattern. */
export type MatchesEvent = (event: unknown) => boolean;

type MatchesValue = (value: unknown) => boolean;

/**
 * Parses the event pattern of an EventBridge rule or of an event source mapping's filter.
 *
 * Supports nested fields, each with a list of alternatives: a string, number, boolean, or null; `prefix`; `suffix`;
 * `exists`; `anything-but` with a string, a number, or a list of them. Supports `$or` with a list of patterns, beside
 * which the other fields must match, too.
 *
 * @param place What the pattern belongs to, for the error message.
 * @throws LocalError if the pattern uses any other operator.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
 */
export const readEventPattern = (pattern: unknown, place: string): MatchesEvent => {
  if (!isObject(pattern)) throw unsupportedPattern(place, pattern);
  const { $or: alternatives, ...rest } = pattern;
  if (alternatives !== undefined) {
    // EventBridge takes any other `$or` for the name of a field.
    if (!Array.isArray(alternatives) || alternatives.length < 2) throw unsupportedPattern(place, pattern);
    const matchers = alternatives.map((one, index) => readEventPattern(one, `${place}.$or.${index}`));
    const matchesRest = readEventPattern(rest, place);
    return (event) => matchesRest(event) && matchers.some((matches) => matches(event));
  }
  const fields = Object.entries(pattern).map(([name, expected]) => {
    const matches = Array.isArray(expected)
      ? readAlternatives(expected, `${place}.${name}`)
      : readEventPattern(expected, `${place}.${name}`);
    return { name, matches };
  });
  if (fields.some(({ name }) => name.startsWith('$'))) throw unsupportedPattern(place, pattern);
  return (event) => fields.every(({ name, matches }) => matches(isObject(event) ? event[name] : undefined));
};

const readAlternatives = (expected: readonly unknown[], place: string): MatchesValue => {
  const alternatives = expected.map((one) => readAlternative(one, place));
  // A list matches if any of its values matches.
  return (value) => alternatives.some((matches) => (Array.isArray(value) ? value.some(matches) : matches(value)));
};

const readAlternative = (expected: unknown, place: string): MatchesValue => {
  if (isScalar(expected)) return (value) => value === expected;
  const [operator, operand] = soleEntry(expected) ?? [];
  if (operator === 'prefix' && typeof operand === 'string') {
    return (value) => typeof value === 'string' && value.startsWith(operand);
  }
  if (operator === 'suffix' && typeof operand === 'string') {
    return (value) => typeof value === 'string' && value.endsWith(operand);
  }
  if (operator === 'exists' && typeof operand === 'boolean') return (value) => (value !== undefined) === operand;
  if (operator === 'anything-but') {
    const excluded: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
    if (excluded.every(isScalar)) return (value) => value !== undefined && !excluded.includes(value);
  }
  throw unsupportedPattern(place, expected);
};

const isScalar = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);

const unsupportedPattern = (place: string, pattern: unknown): LocalError =>
  unsupported(place, `this event pattern: ${JSON.stringify(pattern)}`, 'local/emulators/event-pattern.ts');
