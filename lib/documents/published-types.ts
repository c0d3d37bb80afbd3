import type * as z from '../../lambdas/domain/schema.ts';
import { detailSchemas, referenceIn } from './event-schemas.ts';
import { sendRequestSchema } from './send-request-schema.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;
type Definitions = Readonly<Record<string, JsonSchema>>;

/**
 * Returns the declarations that the package has in place of lib/events/published-types.ts: the same types, spelled out,
 * without zod, and with the fields' descriptions as comments.
 */
export const publishedTypes = (): string => {
  const { details, definitions } = detailSchemas();
  const declare = (name: string, schema: JsonSchema): string =>
    `${commentOn(schema)}export interface ${name} ${objectType(schema, definitions)}\n`;
  const byName = Object.fromEntries(details.map(({ name, schema }) => [name, schema]));
  return [
    ...Object.entries(definitions)
      .filter(([, definition]) => isObject(definition))
      .map(([name, definition]) => declare(name, definition)),
    declare('EventDetails', {
      description: "The detail of each event, by the event's name.",
      properties: byName,
      required: Object.keys(byName),
    }),
    declare('SendRequest', sendRequestSchema()),
  ].join('\n');
};

const isObject = ({ properties }: JsonSchema): boolean => properties !== undefined;

/** Returns a type. A definition that is an object has an interface of its own; others are written where they are used. */
function typeOf(schema: JsonSchema, definitions: Definitions): string {
  const reference = referenceIn(schema);
  const definition = definitions[reference ?? ''];
  if (definition) return isObject(definition) ? `${reference}` : typeOf(definition, definitions);
  if (Object.keys(schema).every((key) => key === 'description')) return 'unknown';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => `'${value}'`).join(' | ');
  if (isObject(schema)) return objectType(schema, definitions);
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'number':
      return schema.type;
    case 'array': {
      const items = typeOf(partOf(schema.items), definitions);
      return `readonly ${items.includes(' | ') ? `(${items})` : items}[]`;
    }
    case 'object':
      return `Readonly<Record<string, ${typeOf(partOf(schema.additionalProperties), definitions)}>>`;
    default:
      throw new Error(`No TypeScript type is written for the schema ${JSON.stringify(schema)}.`);
  }
}

/** Returns the schema of items or fields. It must be one schema for all of them. */
const partOf = (part: JsonSchema['items'] | boolean): JsonSchema => {
  if (typeof part !== 'object' || Array.isArray(part)) throw new Error('Lists and maps need one schema.');
  return part;
};

function objectType({ properties = {}, required = [] }: JsonSchema, definitions: Definitions): string {
  const fields = Object.entries(properties).map(([name, property]) => {
    const schema = partOf(property);
    const comment = commentOn(definitions[referenceIn(schema) ?? ''] ?? schema);
    return `${comment}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, definitions)};\n`;
  });
  return `{\n${fields.join('').replaceAll(/^(?=.)/gm, '  ')}}`;
}

const commentOn = ({ description }: JsonSchema): string => (description === undefined ? '' : `/** ${description} */\n`);
