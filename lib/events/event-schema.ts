import type { EventName } from './parley-event.ts';

/** A JSON Schema, draft 2020-12. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The JSON Schema of an event as it is delivered. New fields are allowed. */
export interface EventSchema<Name extends EventName = EventName> extends JsonSchema {
  readonly $schema: string;
  readonly $id: string;
  readonly title: Name;
  readonly description: string;
  readonly type: 'object';
  readonly properties: {
    readonly 'detail-type': { readonly const: Name };
    /** The JSON Schema of the event's detail. */
    readonly detail: JsonSchema;
    readonly [field: string]: JsonSchema;
  };
  readonly required: readonly string[];
}
