import { isObject, soleEntry } from '../base/json.ts';
import { type LocalError, unsupported } from '../base/local-error.ts';

/** Returns whether an event matches a pattern. */
export type MatchesEvent = (event: unknown) => boolean;

/** A value of an event that is no object and no list. */
interface Leaf {
  readonly value: unknown;
  /** The lists that contain the value, each with the position of the item that contains it. */
  readonly positions: ReadonlyMap<object, number>;
}

/** The leaves of an event, by the names that lead to them. */
type Leaves = ReadonlyMap<string, readonly Leaf[]>;

/** What a pattern says about one field. */
interface Condition {
  readonly path: string;
  readonly matches: (value: unknown) => boolean;
  readonly matchesMissing: boolean;
}

type Alternative = Pick<Condition, 'matches' | 'matchesMissing'>;

/**
 * Parses the event pattern of an EventBridge rule or of an event source mapping's filter.
 *
 * Supports nested fields, each with a list of alternatives: a string, number, boolean, or null; `prefix`; `suffix`;
 * `exists`, which must be the only alternative if it is false; `anything-but` with a string, a number, or a list of them.
 * Supports `$or` with a list of patterns; the other fields must match, too.
 *
 * A list in an event matches if any of its items does. If a pattern has several fields below a list, one item must match
 * all of them. `exists` considers only values, so a field that is an object counts as missing.
 *
 * @param place What the pattern belongs to, for the error message.
 * @throws LocalError if the pattern uses any other operator.
 * Sources: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html and
 * https://github.com/aws/event-ruler#ruler-and-arrays
 */
export const readEventPattern = (pattern: unknown, place: string): MatchesEvent => {
  // As AWS does: which items of a list are chosen decides whether a later field is missing.
  const alternatives = readPattern(pattern, place, '').map((conditions) =>
    conditions.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  );
  return (event) => {
    const leaves = leavesOf(event);
    return alternatives.some((conditions) => isMet(conditions, leaves, new Map()));
  };
};

/** Whether one choice of leaves meets all conditions. */
const isMet = (conditions: readonly Condition[], leaves: Leaves, chosen: Leaf['positions']): boolean => {
  const [condition, ...others] = conditions;
  if (condition === undefined) return true;
  const candidates = (leaves.get(condition.path) ?? []).filter(({ positions }) =>
    [...positions].every(([list, position]) => (chosen.get(list) ?? position) === position),
  );
  if (candidates.length === 0) return condition.matchesMissing && isMet(others, leaves, chosen);
  return candidates.some(
    ({ value, positions }) => condition.matches(value) && isMet(others, leaves, new Map([...chosen, ...positions])),
  );
};

const leavesOf = (event: unknown): Leaves => {
  const leaves = new Map<string, Leaf[]>();
  const visit = (value: unknown, path: string, positions: Leaf['positions']): void => {
    if (Array.isArray(value)) {
      for (const [position, item] of value.entries()) {
        const isLeaf = typeof item !== 'object' || item === null;
        visit(item, path, isLeaf ? positions : new Map([...positions, [value, position]]));
      }
    } else if (isObject(value)) {
      for (const [name, below] of Object.entries(value)) visit(below, pathTo(path, name), positions);
    } else {
      const known = leaves.get(path);
      if (known) known.push({ value, positions });
      else leaves.set(path, [{ value, positions }]);
    }
  };
  visit(event, '', new Map());
  return leaves;
};

const pathTo = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Returns the alternatives of a pattern, each with all of its conditions. */
const readPattern = (pattern: unknown, place: string, path: string): readonly (readonly Condition[])[] => {
  if (!isObject(pattern)) throw unsupportedPattern(place, pattern);
  return Object.entries(pattern)
    .map(([name, expected]) => readField(name, expected, `${place}.${name}`, path))
    .reduce((all, field) => all.flatMap((one) => field.map((other) => [...one, ...other])), [[]]);
};

const readField = (name: string, expected: unknown, place: string, path: string): readonly (readonly Condition[])[] => {
  if (name === '$or') {
    // EventBridge takes any other `$or` for the name of a field.
    if (!Array.isArray(expected) || expected.length < 2) throw unsupportedPattern(place, expected);
    return expected.flatMap((one, index) => readPattern(one, `${place}.${index}`, path));
  }
  if (name.startsWith('$')) throw unsupportedPattern(place, expected);
  if (!Array.isArray(expected)) return readPattern(expected, place, pathTo(path, name));
  const alternatives = expected.map((one) => readAlternative(one, place));
  // AWS's matcher then ignores other alternatives in some events.
  if (alternatives.length > 1 && alternatives.some(({ matchesMissing }) => matchesMissing)) {
    throw unsupportedPattern(place, expected);
  }
  return [
    [
      {
        path: pathTo(path, name),
        matches: (value) => alternatives.some(({ matches }) => matches(value)),
        matchesMissing: alternatives.some(({ matchesMissing }) => matchesMissing),
      },
    ],
  ];
};

const readAlternative = (expected: unknown, place: string): Alternative => {
  const present = (matches: Alternative['matches']): Alternative => ({ matches, matchesMissing: false });
  if (isScalar(expected)) return present((value) => value === expected);
  const [operator, operand] = soleEntry(expected) ?? [];
  if (operator === 'prefix' && typeof operand === 'string') {
    return present((value) => typeof value === 'string' && value.startsWith(operand));
  }
  if (operator === 'suffix' && typeof operand === 'string') {
    return present((value) => typeof value === 'string' && value.endsWith(operand));
  }
  if (operator === 'exists' && typeof operand === 'boolean')
    return { matches: () => operand, matchesMissing: !operand };
  if (operator === 'anything-but') {
    const excluded: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
    if (excluded.every(isScalar)) return present((value) => !excluded.includes(value));
  }
  throw unsupportedPattern(place, expected);
};

const isScalar = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);

const unsupportedPattern = (place: string, pattern: unknown): LocalError =>
  unsupported(place, `this event pattern: ${JSON.stringify(pattern)}`, 'local/emulators/event-pattern.ts');
