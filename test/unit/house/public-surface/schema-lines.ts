import * as z from '../../../../lambdas/domain/schema.ts';

type JsonSchema = z.core.JSONSchema._JSONSchema;

/**
 * Lists the fields of a schema at any depth with their types and defaults: `a.b` in an object, `a[].b` in a list, and
 * `a.*.b` under any key. An optional field's name ends with a question mark.
 */
export const schemaLines = (schema: z.core.$ZodType): readonly string[] => [
  ...new Set(fieldsIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }), '')),
];

const fieldsIn = (schema: JsonSchema | undefined, path: string): readonly string[] => {
  if (typeof schema !== 'object') return [];
  const { properties = {}, required = [], items, additionalProperties } = schema;
  const fields = Object.entries(properties).flatMap(([name, property]) => {
    const own = path === '' ? name : `${path}.${name}`;
    const line = `${own}${required.includes(name) ? '' : '?'}: ${typeOf(property)}${defaultOf(property)}`;
    return [line, ...fieldsIn(property, own)];
  });
  return [
    ...fields,
    ...[items ?? []].flat().flatMap((item) => fieldsIn(item, `${path}[]`)),
    ...fieldsIn(additionalProperties, path === '' ? '*' : `${path}.*`),
    ...alternativesOf(schema).flatMap((alternative) => fieldsIn(alternative, path)),
  ];
};

const alternativesOf = ({
  anyOf = [],
  oneOf = [],
  allOf = [],
}: z.core.JSONSchema.BaseSchema): readonly JsonSchema[] => [...anyOf, ...oneOf, ...allOf];

/** Describes the values that a schema accepts, without the fields of objects. */
const typeOf = (schema: JsonSchema): string => {
  if (typeof schema === 'boolean') return 'any';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return [...new Set(alternatives.map(typeOf))].join(' | ');
  if (schema.type === 'array') return `${[schema.items ?? true].flat().map(typeOf).join(' | ')}[]`;
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const range = rangeOf(minimum, maximum) + rangeOf(minLength ?? minItems, maxLength ?? maxItems);
  return `${schema.type ?? 'any'}${schema.format === undefined ? '' : ` ${schema.format}`}${range}`;
};

const rangeOf = (minimum: number | undefined, maximum: number | undefined): string => {
  const bounds = [minimum, maximum].map((bound) =>
    Math.abs(bound ?? Infinity) >= Number.MAX_SAFE_INTEGER ? '' : bound,
  );
  return bounds.join('') === '' ? '' : ` ${bounds.join('..')}`;
};

const defaultOf = (schema: JsonSchema): string =>
  typeof schema === 'object' && schema.default !== undefined ? ` = ${JSON.stringify(schema.default)}` : '';
