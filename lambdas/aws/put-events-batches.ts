import type { WrittenEvent } from '../domain/telling/written-event.ts';

/**
 * What one PutEvents call takes: 10 entries, and less than 1 MB of them together; a little is left for rounding.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
 */
const MAX_ENTRIES = 10;
const MAX_BYTES = 1_000_000 - 1_000;

/**
 * An entry's size as EventBridge counts it.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html, "Calculating event entry size"
 */
export const entryBytes = ({ name, detail }: WrittenEvent, source: string): number =>
  TIME_BYTES + Buffer.byteLength(source) + Buffer.byteLength(name) + Buffer.byteLength(detail);

const TIME_BYTES = 14;

/** Splits events into calls, in their order; an event larger than a call stands alone. */
export const putEventsBatches = (events: readonly WrittenEvent[], source: string): readonly WrittenEvent[][] => {
  const batches: WrittenEvent[][] = [];
  let bytes = 0;
  for (const event of events) {
    const size = entryBytes(event, source);
    const current = batches.at(-1);
    if (current === undefined || current.length === MAX_ENTRIES || bytes + size > MAX_BYTES) {
      batches.push([event]);
      bytes = size;
    } else {
      current.push(event);
      bytes += size;
    }
  }
  return batches;
};
