import { EVENT_NAMES, type EventName, eventDetails } from '../../lambdas/domain/events/event-details.ts';
import * as z from '../../lambdas/domain/schema.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Returns the JSON Schema of an event's detail for consumers, without its dialect. */
export function detailSchema(name: EventName): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(eventDetails[name], {
    override: relaxForConsumers,
  });
  return schema;
}

/** Relaxes a schema for consumers: allows fields that may be added later, and describes times only by `format`. */
function relaxForConsumers({ jsonSchema }: { readonly jsonSchema: JsonSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
}

const ENVELOPE_STRINGS = {
  version: "The version of EventBridge's envelope.",
  id: "EventBridge's ID of this delivery. To drop duplicates, compare `detail.id`.",
  account: "The AWS account of Parley's stack.",
  region: "The AWS region of Parley's stack.",
};

/**
 * Returns the JSON Schema of each event as it is delivered: EventBridge's envelope, with the event's detail.
 *
 * Source of the envelope: https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html
 */
export function eventSchemas() {
  return Object.fromEntries(EVENT_NAMES.map((name) => [name, eventSchema(name)]));
}

function eventSchema(name: EventName) {
  const { description, ...detail } = detailSchema(name);
  const strings = Object.entries(ENVELOPE_STRINGS).map(([field, text]) => [
    field,
    { type: 'string', description: text },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:parley:event:${name}`,
    title: name,
    description,
    type: 'object',
    properties: {
      ...Object.fromEntries(strings),
      source: { const: 'parley' },
      'detail-type': { const: name },
      time: { type: 'string', format: 'date-time', description: '`detail.at`, in whole seconds.' },
      resources: { type: 'array', items: { type: 'string' } },
      detail,
    },
    required: [...Object.keys(ENVELOPE_STRINGS), 'source', 'detail-type', 'time', 'resources', 'detail'],
  };
}
