import { createServer } from 'node:http';
import { z } from 'zod';
import type { EventBuses, PutEntry } from '../events/event-buses.ts';
import { type ListeningServer, listenLocally } from '../listen-locally.ts';
import { readJson } from './read-json.ts';

const entry = z.object({
  Source: z.string().default(''),
  DetailType: z.string().default(''),
  Detail: z.string().default(''),
  Time: z.number().optional(),
  Resources: z.array(z.string()).optional(),
  EventBusName: z.string().optional(),
});
const putEvents = z.object({ Entries: z.array(entry) });

const MAX_ENTRIES = 10;
const MAX_BYTES = 1024 * 1024;

/**
 * Stands in for EventBridge: `PutEvents`, in the AWS JSON 1.1 protocol, with its limits. Every other call is refused by
 * name; buses and rules are made by the template.
 *
 * Source: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
 */
export const startEventBridge = (buses: EventBuses): Promise<ListeningServer> => {
  const server = createServer((request, response) => {
    void readJson(request).then((input) => {
      const target = String(request.headers['x-amz-target'] ?? `${request.method} ${request.url}`);
      const { status, body } = answer(buses, target, input);
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    });
  });
  return listenLocally(server);
};

const answer = (buses: EventBuses, target: string, input: unknown): { status: number; body: object } => {
  if (target !== 'AWSEvents.PutEvents') {
    return failure('UnknownOperationException', `The local run does not know ${target}; it knows PutEvents alone.`);
  }
  const { data } = putEvents.safeParse(input);
  if (!data || data.Entries.length === 0 || data.Entries.length > MAX_ENTRIES) {
    return failure('ValidationException', `PutEvents takes a list of 1 to ${MAX_ENTRIES} entries.`);
  }
  if (data.Entries.reduce((bytes, one) => bytes + entryBytes(one), 0) >= MAX_BYTES) {
    return failure('ValidationException', 'Total size of the entries in the request is over the limit.');
  }
  const results = data.Entries.map((one) => buses.put(one));
  const Entries = results.map((result) =>
    'eventId' in result ? { EventId: result.eventId } : { ErrorCode: result.errorCode, ErrorMessage: result.message },
  );
  return {
    status: 200,
    body: { FailedEntryCount: results.filter((result) => 'errorCode' in result).length, Entries },
  };
};

const entryBytes = ({ Source, DetailType, Detail, Resources = [], Time }: PutEntry): number =>
  [Source, DetailType, Detail, ...Resources].reduce(
    (bytes, text) => bytes + Buffer.byteLength(text),
    Time === undefined ? 0 : 14,
  );

const failure = (type: string, message: string) => ({ status: 400, body: { __type: type, message } });
