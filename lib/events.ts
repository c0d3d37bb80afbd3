/**
 * The export `@parleyhq/parley/events`, for systems that receive Parley's events or queue send requests: types and type guards.
 * Other systems bundle it, so it needs no package.
 */
export { EVENT_NAMES, type EventName } from '../lambdas/domain/events/event-names.ts';
export { isParleyEvent, type ParleyEvent, parseParleyEvent } from './events/parley-event.ts';
export type { EventAccount, EventContact, EventDetails, SendRequest } from './events/published-types.ts';
