/**
 * The export `parley/events`, for systems that receive Parley's events or queue send requests: types, type guards, and
 * JSON Schemas. It imports nothing outside this folder, because other systems bundle it.
 */
export type * from './events/event-details.ts';
export { EVENT_NAMES } from './events/event-details.ts';
export * from './events/event-guards.ts';
export type { EventAccount, EventContact } from './events/event-parts.ts';
export type { EventSchema, JsonSchema } from './events/event-schema.ts';
export { eventSchemas } from './events/event-schemas.ts';
export { type EventName, isParleyEvent, type ParleyEvent, parseParleyEvent } from './events/parley-event.ts';
export type { SendRequest } from './events/send-request.ts';
