import type { ParsedEvent } from '../../domain/parse-events.ts';

/** Groups the events that must be written one after another: messages of one turn would wait for each other. */
export const inOrderOfTurns = (events: readonly ParsedEvent[]): readonly (readonly ParsedEvent[])[] => {
  const contactOf = (parsed: ParsedEvent) =>
    parsed.kind === 'event' && parsed.event.kind === 'message' ? parsed.event.contact.key : parsed;
  return [...Map.groupBy(events, contactOf).values()];
};
