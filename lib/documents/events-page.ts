import { EVENT_NAMES } from '../../lambdas/domain/events/event-details.ts';
import type * as z from '../../lambdas/domain/schema.ts';
import { eventSamples } from './event-samples.ts';
import { detailSchema } from './event-schemas.ts';
import { jsonBlock, withGenerated, wrap } from './markdown.ts';

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
  const events = EVENT_NAMES.map((name) => ({ name, ...detailSchema(name) }));
  const all = events.flatMap((event) => fieldsOf(event));
  const shared = new Map(all.filter((field) => isShared(field, all)).map((field) => [field.path, field]));
  const [first, ...others] = eventSamples();
  const samples = [first, ...others.map(({ 'detail-type': name, detail }) => ({ 'detail-type': name, detail }))];
  const sections = events.map((event, index) => {
    const own = fieldsOf(event).filter(({ path }) => !shared.has(path));
    return [
      `### ${event.name}\n`,
      `${wrap(`${event.description} [Schema](events/${event.name}.schema.json)`)}\n`,
      `${jsonBlock(samples[index] ?? {})}\n`,
      `${list(own)}\n`,
    ].join('\n');
  });
  return withGenerated(page, `### Fields of several events\n\n${list([...shared.values()])}\n\n${sections.join('\n')}`);
}

const fieldsOf = (schema: z.core.JSONSchema.BaseSchema, path = ''): readonly Field[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    if (typeof property === 'boolean') return [];
    const { description, properties } = property;
    const field = description === undefined ? [] : [{ path: `${path}${name}`, description }];
    return [...field, ...(properties === undefined ? [] : fieldsOf(property, `${path}${name}.`))];
  });

const isShared = ({ path, description }: Field, all: readonly Field[]): boolean => {
  const others = all.filter((field) => field.path === path);
  return others.length > 1 && others.every((field) => field.description === description);
};

const list = (fields: readonly Field[]): string =>
  fields.map(({ path, description }) => wrap(`- \`${path}\`: ${description}`, '  ')).join('\n');
