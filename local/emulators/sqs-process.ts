/** What runs in the SQS emulator's process: fauxqs, on a clock that the run moves. */
import { buildApp } from 'fauxqs';
import { z } from 'zod';
import { installShiftedClock } from '../clock/shifted-clock.ts';

const setClock = installShiftedClock();
const move = z.object({ offsetMs: z.number() });

// The run that started this process holds the other end of the channel.
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  setClock(move.parse(message).offsetMs);
  process.send?.({ moved: true });
});

// Not `startFauxqs`, which listens on every interface of the machine.
const app = buildApp({ logger: false });
// A queue's address is asked for under a host name that not every resolver knows.
app.addHook('onSend', async (request, _reply, payload) =>
  typeof payload === 'string' && /GetQueueUrl|ListQueues|CreateQueue/.test(String(request.headers['x-amz-target']))
    ? payload.replaceAll(/http:\/\/sqs\.[\w-]+\.localhost:/g, 'http://127.0.0.1:')
    : payload,
);
const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
process.send?.({ port: Number(url.port) });
