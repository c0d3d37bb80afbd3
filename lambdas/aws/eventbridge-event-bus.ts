import { type EventBridgeClient, PutEventsCommand, type PutEventsResultEntry } from '@aws-sdk/client-eventbridge';
import type { WrittenEvent } from '../domain/telling/written-event.ts';
import type { EventBus, PutResult } from '../ports.ts';
import { putEventsBatches } from './put-events-batches.ts';

/** By which consumers know our events on a bus that others use too. */
const SOURCE = 'parley';

/**
 * Error codes of an entry that no repetition mends.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html
 */
const REFUSALS = new Set(['MalformedDetail', 'InvalidArgument']);

/** Puts events on an EventBridge bus, in as few calls as it takes; one call's failure is not the others'. */
export const createEventbridgeEventBus = (client: EventBridgeClient, busName: string): EventBus => {
  const putBatch = async (events: readonly WrittenEvent[]): Promise<readonly PutResult[]> => {
    try {
      const { Entries: results = [] } = await client.send(
        new PutEventsCommand({
          Entries: events.map(({ name, at, detail }) => ({
            EventBusName: busName,
            Source: SOURCE,
            DetailType: name,
            Time: new Date(at),
            Detail: detail,
          })),
        }),
      );
      return events.map((_event, index) => putResult(results[index]));
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      return events.map(() => ({ kind: 'failed', reason: `${name}: ${message}` }));
    }
  };
  return {
    async put(events) {
      const batches = putEventsBatches(events, SOURCE);
      return (await Promise.all(batches.map(putBatch))).flat();
    },
  };
};

const putResult = (result: PutEventsResultEntry | undefined): PutResult => {
  if (result?.EventId !== undefined && result.ErrorCode === undefined) return { kind: 'taken' };
  const reason = `${result?.ErrorCode ?? 'no result'}: ${result?.ErrorMessage ?? ''}`;
  return { kind: REFUSALS.has(result?.ErrorCode ?? '') ? 'refused' : 'failed', reason };
};
