import type * as z from '../../lambdas/domain/schema.ts';
import { eventSamples } from './event-samples.ts';
import { detailSchemas, referenceIn } from './event-schemas.ts';
import { jsonBlock, withGenerated, wrap } from './markdown.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A field of an event's detail. */
interface Field {
  /** With the names of the objects that contain it, such as `content.text`. */
  readonly path: string;
  readonly description: string;
}

/**
 * Returns docs/events.md with the generated part replaced: the fields that mean the same in several events, and each
 * event with a sample and its other fields.
 */
export function eventsPage(page: string): string {
  const { details, definitions } = detailSchemas();
  const events = details.map(({ name, schema: { description, ...schema } }) => {
    return { name, description, fields: fieldsOf(schema, definitions) };
  });
  const all = events.flatMap(({ fields }) => fields);
  const shared = new Map(all.filter((field) => isShared(field, all)).map((field) => [field.path, field]));
  const [first, ...others] = eventSamples();
  const samples = [first, ...others.map(({ 'detail-type': name, detail }) => ({ 'detail-type': name, detail }))];
  const sections = events.map((event, index) => {
    const own = event.fields.filter(({ path }) => !shared.has(path));
    return [
      `### ${event.name}\n`,
      `${wrap(event.description ?? '')}\n`,
      `${jsonBlock(samples[index] ?? {})}\n`,
      `${list(own)}\n`,
    ].join('\n');
  });
  return withGenerated(page, `### Fields of several events\n\n${list([...shared.values()])}\n\n${sections.join('\n')}`);
}

const fieldsOf = (schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>, path = ''): readonly Field[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    if (typeof property === 'boolean') return [];
    const { description, properties } = definitions[referenceIn(property) ?? ''] ?? property;
    const field = description === undefined ? [] : [{ path: `${path}${name}`, description }];
    return [...field, ...fieldsOf({ properties }, definitions, `${path}${name}.`)];
  });

const isShared = ({ path, description }: Field, all: readonly Field[]): boolean => {
  const others = all.filter((field) => field.path === path);
  return others.length > 1 && others.every((field) => field.description === description);
};

const list = (fields: readonly Field[]): string =>
  fields.map(({ path, description }) => wrap(`- \`${path}\`: ${description}`, '  ')).join('\n');
