/** The events on the bus, for consumers. It imports neither CDK nor the AWS SDK. */
export { type BusEvent, EVENT_NAMES, type EventName, eventDetails } from '../lambdas/domain/events/event-details.ts';
