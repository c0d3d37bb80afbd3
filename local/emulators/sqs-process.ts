/** What runs in the SQS emulator's process: fauxqs, on a clock that the run moves. */
import type { IncomingHttpHeaders } from 'node:http';
import { buildApp } from 'fauxqs';
import { z } from 'zod';
import { installShiftedClock } from '../clock/shifted-clock.ts';
import { createGroupDeduplication } from './group-deduplication.ts';
import { takeAllCharacters } from './sqs-characters.ts';

const setClock = installShiftedClock();
const move = z.object({ offsetMs: z.number() });

// The run that started this process holds the other end of the channel.
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  setClock(move.parse(message).offsetMs);
  process.send?.({ moved: true });
});

await takeAllCharacters();

// Not `startFauxqs`, which listens on every interface of the machine.
const app = buildApp({ logger: false });
const groups = createGroupDeduplication();
const actionOf = (headers: IncomingHttpHeaders): string => String(headers['x-amz-target']).replace('AmazonSQS.', '');
app.addHook('preHandler', async ({ headers, body }) => groups.scope(actionOf(headers), body));
app.addHook('onSend', async ({ headers }, _reply, payload) => {
  if (typeof payload !== 'string') return payload;
  const action = actionOf(headers);
  if (action === 'ReceiveMessage') return groups.unscope(payload);
  // A queue's address comes with a host name that not every resolver knows.
  if (!['CreateQueue', 'GetQueueUrl', 'ListQueues'].includes(action)) return payload;
  return payload.replaceAll(/http:\/\/sqs\.[\w-]+\.localhost:/g, 'http://127.0.0.1:');
});
const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
process.send?.({ port: Number(url.port) });
