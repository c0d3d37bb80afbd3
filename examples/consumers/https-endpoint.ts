/**
 * An HTTPS endpoint for Parley's events: checks the key, puts the event on its own queue, and responds.
 *
 *   PARLEY_KEY=… EVENT_QUEUE_URL=… HOST=0.0.0.0 PORT=8080 node examples/consumers/https-endpoint.ts
 *
 * Run it behind a load balancer that terminates TLS, and add its URL to the stage's settings:
 *
 *   "events": { "targets": [{ "kind": "https", "url": "https://crm.example/parley" }] }
 *
 * The stack generates the key, in a secret whose description contains the URL. EventBridge waits five seconds for the
 * response, and delivers the event again if there is none. Therefore, do the work later, in a consumer of the queue, and
 * drop duplicates there by `detail.id`, as examples/consumers/queue/handler.ts does.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

const { PARLEY_KEY, EVENT_QUEUE_URL, HOST = '127.0.0.1', PORT = '8080' } = process.env;
if (!PARLEY_KEY || !EVENT_QUEUE_URL) throw new Error('Set PARLEY_KEY and EVENT_QUEUE_URL.');

const sqs = new SQSClient();
const hash = (value: string) => createHash('sha256').update(value).digest();
const expectedKey = hash(PARLEY_KEY);

/** Returns the status to answer with. */
const receive = async (request: IncomingMessage): Promise<number> => {
  const key = request.headers['x-api-key'];
  // Compares hashes in constant time, so that the response time reveals nothing about the key.
  if (typeof key !== 'string' || !timingSafeEqual(hash(key), expectedKey)) return 401;
  await sqs.send(new SendMessageCommand({ QueueUrl: EVENT_QUEUE_URL, MessageBody: await text(request) }));
  return 202;
};

const server = createServer(async (request, response) => {
  // EventBridge retries after a 5xx status for a day.
  const status = await receive(request).catch((error: unknown) => {
    console.error('The event could not be queued.', error);
    return 503;
  });
  response.writeHead(status).end();
});
server.listen(Number(PORT), HOST, () => console.log(`Listening on ${HOST}:${PORT}`));
process.once('SIGTERM', () => server.close());
