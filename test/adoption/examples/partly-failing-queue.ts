import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { listenLocally } from '../../../local/base/listen-locally.ts';

const batch = z.looseObject({ Entries: z.array(z.looseObject({ Id: z.string() })) });
const answers = z.looseObject({ Failed: z.array(z.unknown()).default([]) });

/** A proxy in front of the SQS emulator that fails the first entry of the first batch, as SQS does under load. */
export interface PartlyFailingQueue extends AsyncDisposable {
  readonly url: string;
  /** How many batches were sent. */
  readonly batches: () => number;
}

export const startPartlyFailingQueue = async (target: string): Promise<PartlyFailingQueue> => {
  let batches = 0;
  const server = createServer(async (incoming, outgoing) => {
    const request = await json(incoming);
    const isBatch = String(incoming.headers['x-amz-target']).endsWith('SendMessageBatch');
    if (isBatch) batches += 1;
    const entries = isBatch && batches === 1 ? batch.parse(request).Entries : [];
    const [failed, ...others] = entries;
    const response = await fetch(new URL(incoming.url ?? '/', target), {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': String(incoming.headers['x-amz-target']),
        authorization: String(incoming.headers.authorization),
      },
      body: JSON.stringify(failed ? { ...batch.parse(request), Entries: others } : request),
    });
    const answer = answers.parse(await response.json());
    const failure = { Id: failed?.Id, Code: 'InternalError', Message: 'Try again.', SenderFault: false };
    outgoing
      .writeHead(response.status, { 'content-type': 'application/x-amz-json-1.0' })
      .end(JSON.stringify(failed ? { ...answer, Failed: [...answer.Failed, failure] } : answer));
  });
  const { url, close } = await listenLocally(server);
  return { url, batches: () => batches, [Symbol.asyncDispose]: close };
};
