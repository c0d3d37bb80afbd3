import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { type ListeningServer, listenLocally } from '../../local/base/listen-locally.ts';

/** What some calls to a table cost. */
export interface TableCost {
  readonly calls: Readonly<Record<string, number>>;
  /** The request units of writes to the table and to its indexes. */
  readonly tableUnits: number;
  readonly indexUnits: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
}

/** An address of DynamoDB behind which the emulators of several tables take turns. */
export interface TableSwitch extends ListeningServer {
  /** Forwards the next calls to an emulator. */
  readonly connectTo: (url: string) => void;
  /** Returns what the calls during an action cost. Only these calls are parsed. */
  readonly costOf: (action: () => Promise<void>) => Promise<TableCost>;
}

const units = z.object({ CapacityUnits: z.number() });
const consumed = z.object({
  ConsumedCapacity: z.object({
    Table: units,
    GlobalSecondaryIndexes: z.record(z.string(), units).default({}),
  }),
});

interface Tally {
  readonly calls: Record<string, number>;
  tableUnits: number;
  indexUnits: number;
  requestBytes: number;
  responseBytes: number;
}

export const startTableSwitch = async (): Promise<TableSwitch> => {
  const agent = new Agent({ keepAlive: true });
  let target = '';
  let tally: Tally | undefined;

  const countRequest = (incoming: IncomingMessage, body: Buffer, counted: Tally): Buffer => {
    const operation = String(incoming.headers['x-amz-target']).split('.').at(-1) ?? '';
    counted.calls[operation] = (counted.calls[operation] ?? 0) + 1;
    counted.requestBytes += body.length;
    return Buffer.from(JSON.stringify({ ...JSON.parse(body.toString()), ReturnConsumedCapacity: 'INDEXES' }));
  };
  const countResponse = (body: Buffer, counted: Tally): void => {
    const { Table, GlobalSecondaryIndexes } = consumed.parse(JSON.parse(body.toString())).ConsumedCapacity;
    counted.tableUnits += Table.CapacityUnits;
    for (const { CapacityUnits } of Object.values(GlobalSecondaryIndexes)) counted.indexUnits += CapacityUnits;
    counted.responseBytes += body.length;
  };

  const server = createServer(async (incoming, outgoing) => {
    const counted = tally;
    const received = await buffer(incoming);
    const body = counted === undefined ? received : countRequest(incoming, received, counted);
    const headers = { ...incoming.headers, host: new URL(target).host, 'content-length': body.length };
    const forwarded = request(target, { method: 'POST', agent, headers }, async (answer) => {
      const answered = await buffer(answer);
      if (counted !== undefined) countResponse(answered, counted);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(answered);
    });
    forwarded.on('error', () => outgoing.destroy()).end(body);
  });
  const listening = await listenLocally(server);
  const close = async (): Promise<void> => {
    await listening.close();
    agent.destroy();
  };
  return {
    ...listening,
    close,
    [Symbol.asyncDispose]: close,
    connectTo: (url) => {
      target = url;
    },
    async costOf(action) {
      const counting: Tally = { calls: {}, tableUnits: 0, indexUnits: 0, requestBytes: 0, responseBytes: 0 };
      tally = counting;
      try {
        await action();
      } finally {
        tally = undefined;
      }
      return counting;
    },
  };
};
