import { z } from 'zod';
import type { ListeningServer } from '../base/listen-locally.ts';
import { type AwsResponse, awsError, startAwsJsonServer, unknownOperation } from './aws-json-server.ts';
import type { EventBuses, PutEntry } from './event-buses.ts';

const entry = z.object({
  Source: z.string().default(''),
  DetailType: z.string().default(''),
  Detail: z.string().default(''),
  Time: z.number().optional(),
  Resources: z.array(z.string()).optional(),
  EventBusName: z.string().optional(),
});
const putEventsInput = z.object({ Entries: z.array(entry) });

const MAX_ENTRIES = 10;
const MAX_BYTES = 1024 * 1024;
const TIME_BYTES = 14;

/**
 * Emulates EventBridge's `PutEvents` with its limits. It rejects every other operation, because buses and rules come
 * from the template.
 *
 * Source: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
 */
export const startEventBridge = (buses: EventBuses, port?: number): Promise<ListeningServer> =>
  startAwsJsonServer(
    'application/x-amz-json-1.1',
    ({ operation, input }) =>
      operation === 'AWSEvents.PutEvents' ? putEvents(buses, input) : unknownOperation(operation),
    port,
  );

const putEvents = (buses: EventBuses, input: unknown): AwsResponse => {
  const { data } = putEventsInput.safeParse(input);
  if (!data || data.Entries.length === 0 || data.Entries.length > MAX_ENTRIES) {
    return awsError('ValidationException', `PutEvents requires a list of 1 to ${MAX_ENTRIES} entries.`);
  }
  if (data.Entries.reduce((bytes, one) => bytes + entryBytes(one), 0) >= MAX_BYTES) {
    return awsError('ValidationException', 'Total size of the entries in the request is over the limit.');
  }
  const results = data.Entries.map((one) => buses.put(one));
  const Entries = results.map((result) =>
    'eventId' in result ? { EventId: result.eventId } : { ErrorCode: result.errorCode, ErrorMessage: result.message },
  );
  const FailedEntryCount = results.filter((result) => 'errorCode' in result).length;
  return { status: 200, body: { FailedEntryCount, Entries } };
};

/** Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html, "Calculating event entry size" */
const entryBytes = ({ Source, DetailType, Detail, Resources = [], Time }: PutEntry): number =>
  [Source, DetailType, Detail, ...Resources].reduce(
    (bytes, field) => bytes + Buffer.byteLength(field),
    Time === undefined ? 0 : TIME_BYTES,
  );
