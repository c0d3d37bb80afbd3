import fc from 'fast-check';
import { isObject, soleEntry } from '../../../local/base/json.ts';

/** Texts that differ in ways that matchers confuse: case, prefixes, composed and decomposed letters, and planes. */
const TEXTS = [
  '',
  'a',
  'A',
  'ab',
  'ba',
  'é',
  'e\u0301',
  '謝謝',
  '😀',
  '😀a',
  '1',
  'null',
  'true',
  '"',
  '\\',
  '\n',
  '*',
  '$or',
];
const SCALARS = [...TEXTS, 0, 1, -1, 1.5, 1e10, true, false, null];

const scalar = fc.constantFrom(...SCALARS);

/** Values that are like nothing in a pattern. */
const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom('a', 'S', 'N'), scalar, { maxKeys: 2 }),
);

/** Values that match an alternative of a pattern, or almost do. */
const valuesNear = (alternative: unknown): readonly unknown[] => {
  if (typeof alternative === 'string') {
    return [alternative, `${alternative}x`, `x${alternative}`, alternative.slice(0, -1), alternative.toUpperCase()];
  }
  if (typeof alternative === 'number') return [alternative, String(alternative), alternative + 0.5, -alternative];
  if (alternative === null || typeof alternative === 'boolean') return [alternative, String(alternative), 0, ''];
  const [operator, operand] = soleEntry(alternative) ?? [];
  if (operator === 'exists') return ['present'];
  return [operand].flat().flatMap(valuesNear);
};

const leaf = (alternatives: readonly unknown[]): fc.Arbitrary<unknown> => {
  const near = fc.constantFrom(...alternatives.flatMap(valuesNear));
  return fc.oneof(
    { weight: 6, arbitrary: near },
    { weight: 1, arbitrary: fc.array(fc.oneof(near, anyValue), { maxLength: 3 }) },
    { weight: 1, arbitrary: anyValue },
  );
};

/** Joins the fields of a pattern with those of its alternatives. */
const fieldsOf = (pattern: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const { $or: alternatives, ...fields } = pattern;
  return Object.assign({}, ...[alternatives ?? []].flat().filter(isObject).map(fieldsOf), fields);
};

/** Events that match a pattern, or almost do: with other values, types, and nestings, and with missing fields. */
export const eventNear = (pattern: unknown): fc.Arbitrary<unknown> => {
  if (!isObject(pattern)) return leaf(Array.isArray(pattern) ? pattern : [pattern]);
  const fields = Object.entries(fieldsOf(pattern)).map(([name, below]) => [name, eventNear(below)] as const);
  const object = fc
    .tuple(fc.record(Object.fromEntries(fields), { requiredKeys: [] }), fc.dictionary(fc.constant('other'), scalar))
    .map(([near, others]) => ({ ...others, ...near }));
  const complete = fc.record(Object.fromEntries(fields));
  return fc.oneof(
    { weight: 6, arbitrary: complete },
    { weight: 3, arbitrary: object },
    { weight: 1, arbitrary: fc.array(complete, { maxLength: 2 }) },
    { weight: 1, arbitrary: anyValue },
  );
};

const operators: fc.Arbitrary<unknown> = fc.oneof(
  scalar,
  fc.constantFrom(...TEXTS.filter((text) => text !== '')).map((prefix) => ({ prefix })),
  fc.constantFrom(...TEXTS.filter((text) => text !== '')).map((suffix) => ({ suffix })),
  fc.constant({ exists: true }),
  fc.constantFrom(...TEXTS, 0, 1, 1.5).map((one) => ({ 'anything-but': one })),
  fc.uniqueArray(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 3 }).map((all) => ({ 'anything-but': all })),
  fc.uniqueArray(fc.constantFrom(0, 1, 1.5), { minLength: 1, maxLength: 3 }).map((all) => ({ 'anything-but': all })),
);

const alternatives = fc.oneof(
  { weight: 6, arbitrary: fc.array(operators, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant([{ exists: false }]) },
);
const names = fc.constantFrom('a', 'b', 'é', 'detail-type');
const flat = fc.dictionary(names, alternatives, { minKeys: 1, maxKeys: 2 });
const nested = fc.dictionary(names, fc.oneof(alternatives, flat), { minKeys: 1, maxKeys: 3 });

/** Patterns with every operator that the local matcher supports. */
export const arbitraryPattern: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.oneof(
  { weight: 3, arbitrary: nested },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.dictionary(fc.constantFrom('c', 'd'), alternatives, { maxKeys: 1 }),
        fc.array(flat, { minLength: 2, maxLength: 3 }),
      )
      .map(([fields, $or]) => ({ ...fields, $or })),
  },
);
