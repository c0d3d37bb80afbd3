import { eventDetails } from '../../lambdas/domain/events/event-details.ts';
import { EVENT_NAMES, type EventName } from '../../lambdas/domain/events/event-names.ts';
import * as z from '../../lambdas/domain/schema.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The schemas of the events' details for consumers. What several of them share is in the definitions. */
export interface DetailSchemas {
  readonly details: readonly { readonly name: EventName; readonly schema: JsonSchema }[];
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

/** Where a JSON Schema refers to a definition. */
const REFERENCE = '#/$defs/';

export const detailSchemas = (): DetailSchemas => {
  const { properties = {}, $defs = {} } = z.toJSONSchema(z.object(eventDetails), { override: relaxForConsumers });
  const details = EVENT_NAMES.map((name) => ({ name, schema: asSchema(properties[name]) }));
  return { details, definitions: Object.fromEntries(Object.entries($defs).map(([id, def]) => [id, asSchema(def)])) };
};

const asSchema = (schema: z.core.JSONSchema._JSONSchema | undefined): JsonSchema =>
  typeof schema === 'object' ? schema : {};

/** Returns the name of the definition that a schema refers to, or undefined if it refers to none. */
export const referenceIn = ({ $ref }: JsonSchema): string | undefined => $ref?.slice(REFERENCE.length);

/** Relaxes a schema for consumers: allows fields that may be added later, and describes times only by `format`. */
function relaxForConsumers({ jsonSchema }: { readonly jsonSchema: JsonSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
}

const text = (description: string) => ({ type: 'string', description });

/** Source: https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html */
const ENVELOPE = {
  type: 'object',
  description: 'What EventBridge adds to every event.',
  properties: {
    version: text("The version of EventBridge's envelope."),
    id: text("EventBridge's ID of this delivery. To drop duplicates, compare `detail.id`."),
    account: text("The AWS account of Parley's stack."),
    region: text("The AWS region of Parley's stack."),
    source: { const: 'parley' },
    time: { type: 'string', format: 'date-time', description: '`detail.at`, in whole seconds.' },
    resources: { type: 'array', items: { type: 'string' } },
    'detail-type': text("The event's name."),
    detail: { type: 'object' },
  },
  required: ['version', 'id', 'account', 'region', 'source', 'detail-type', 'time', 'resources', 'detail'],
};

/**
 * Returns one JSON Schema for all events as EventBridge delivers them, and a definition for
 * each of them. One file defines what events share once, so that generators of code make one type of it.
 */
export const eventsSchema = () => {
  const { details, definitions } = detailSchemas();
  const events = details.map(({ name, schema: { description, ...detail } }) => {
    const properties = { 'detail-type': { const: name }, detail };
    return [name, { type: 'object', description, allOf: [{ $ref: `${REFERENCE}Envelope` }], properties }];
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:parley:events',
    title: "Parley's events",
    description: 'An event as EventBridge delivers it. Later versions can add events and fields: ignore them.',
    oneOf: EVENT_NAMES.map((name) => ({ $ref: `${REFERENCE}${name}` })),
    $defs: { Envelope: ENVELOPE, ...definitions, ...Object.fromEntries(events) },
  };
};

/** Returns the content of docs/events.schema.json, before it is formatted. */
export const eventsSchemaText = (): string => JSON.stringify(eventsSchema());
