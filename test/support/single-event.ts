import { type ParsedEvent, parseEvents } from '../../lambdas/domain/parse-events.ts';
import type { StoreEvents, StoreResult } from '../../lambdas/receive/store-events.ts';

const only = <Element>(elements: readonly Element[]): Element => {
  const [element] = elements;
  if (element === undefined || elements.length > 1) throw new Error(`Expected one event, but got ${elements.length}.`);
  return element;
};

/** Parses a body that has one event. */
export const parseEvent = (...parameters: Parameters<typeof parseEvents>): ParsedEvent =>
  only(parseEvents(...parameters));

/** Stores requests that have one event each. */
export const singly =
  (storeEvents: StoreEvents) =>
  async (request: Parameters<StoreEvents>[0]): Promise<StoreResult> =>
    only(await storeEvents(request));
