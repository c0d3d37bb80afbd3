import type { Context } from 'hono';
import type { Feed, FeedEntry } from './feed.ts';

/** A reader that lags this far behind is cut off; it comes back with Last-Event-ID. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

/** How often a comment is sent, so that a proxy or a browser does not take silence for a dead connection. */
const HEARTBEAT_MS = 15_000;

const encoder = new TextEncoder();

/**
 * The feed as server-sent events. With `Last-Event-ID` (or `?after=`) it goes on after that entry; when that is no
 * longer possible, the first entry is of the type `gap`, after which a reader must read everything anew.
 *
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export const feedStream = (context: Context, feed: Feed, now: Date): Response => {
  const asked = context.req.header('last-event-id') ?? context.req.query('after');
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const send = (text: string) => {
          if ((controller.desiredSize ?? 0) < 0) {
            stop();
            controller.close();
          } else controller.enqueue(encoder.encode(text));
        };
        const heartbeat = setInterval(() => send(': still here\n\n'), HEARTBEAT_MS).unref();
        const unlisten = feed.listen((entry) => send(sse(entry)));
        stop = () => {
          clearInterval(heartbeat);
          unlisten();
        };
        send('retry: 1000\n\n');
        const missed = asked === undefined ? [] : feed.after(Number(asked));
        if (missed === undefined) {
          const gap = { id: feed.lastId(), at: now.toISOString(), type: 'gap' };
          send(sse({ id: gap.id, json: JSON.stringify(gap) }));
        } else for (const entry of missed) send(sse(entry));
      },
      cancel: () => stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_BUFFERED_BYTES }),
  );
  // A server that closes ends the connection without a cancel of its own.
  context.req.raw.signal.addEventListener('abort', () => stop());
  return context.body(body, 200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
};

const sse = ({ id, json }: FeedEntry): string => `id: ${id}\ndata: ${json}\n\n`;
