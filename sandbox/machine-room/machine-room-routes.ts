import { type Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import * as z from 'zod';
import { errorForm } from '../http/error-form.ts';
import { limitBody, readBody } from '../http/read-body.ts';
import type { DeadLetterQueue, MachineRoom, MachineRoomChange } from './machine-room.ts';
import { onlyThisMachine } from './only-this-machine.ts';

const QUEUES: readonly DeadLetterQueue[] = ['send', 'inbound'];

const enqueueRequest = z.strictObject({
  /** Text as it goes on the queue, or JSON. */
  body: z.union([z.string(), z.record(z.string(), z.unknown())]),
  groupId: z.string().min(1).max(128),
  deduplicationId: z.string().min(1).max(128),
});

/** How often a silent feed says that it is alive, so that a page whose server has gone notices it. */
const HEARTBEAT_MS = 15_000;

/** The machine room over HTTP, for the console; 404 where there is none. */
export const machineRoomRoutes = (machineRoom: () => MachineRoom | undefined): Hono => {
  const app = new Hono().use(onlyThisMachine);

  const withRoom =
    (answer: (context: Context, room: MachineRoom) => Response | Promise<Response>) => (context: Context) => {
      const room = machineRoom();
      if (room === undefined)
        return context.json(errorForm(404, 'This service runs alone: there is no machine room.'), 404);
      return answer(context, room);
    };

  app.get(
    '/depths',
    withRoom(async (context, room) => context.json(await room.depths())),
  );
  app.get(
    '/sends',
    withRoom(async (context, room) => context.json({ sends: await room.sends(context.req.query('contact')) })),
  );
  app.get(
    '/messages/:id',
    withRoom(async (context, room) => context.json(await room.trace({ messageId: context.req.param('id') ?? '' }))),
  );
  app.get(
    '/requests/:id',
    withRoom(async (context, room) => context.json(await room.trace({ requestId: context.req.param('id') ?? '' }))),
  );
  app.post(
    '/requests',
    limitBody(),
    withRoom(async (context, room) => {
      const body = await readBody(context, enqueueRequest);
      if (body.kind === 'invalid') return body.answer;
      const { body: message, groupId, deduplicationId } = body.value;
      await room.enqueue(typeof message === 'string' ? message : JSON.stringify(message), {
        groupId,
        id: deduplicationId,
      });
      return context.json({ deduplicationId }, 202);
    }),
  );
  for (const queue of QUEUES) {
    app.get(
      `/dead-letters/${queue}`,
      withRoom(async (context, room) => context.json({ messages: await room.deadLetters(queue) })),
    );
    app.post(
      `/dead-letters/${queue}/redrive`,
      withRoom(async (context, room) => context.json({ moved: await room.redrive(queue) })),
    );
  }
  app.get(
    '/feed',
    withRoom((context, room) =>
      streamSSE(context, async (stream) => {
        const send = ({ kind, ...data }: MachineRoomChange) =>
          stream.writeSSE({ event: kind, data: JSON.stringify(data) });
        const stop = room.watch((change) => void send(change));
        const heartbeat = setInterval(() => void stream.write(': alive\n\n'), HEARTBEAT_MS).unref();
        await stream.write(': alive\n\n');
        await new Promise<void>((ended) => stream.onAbort(ended));
        clearInterval(heartbeat);
        stop();
      }),
    ),
  );
  app.all('*', (context) =>
    context.json(errorForm(404, `The machine room has no ${context.req.method} ${context.req.path}.`), 404),
  );
  return app;
};
