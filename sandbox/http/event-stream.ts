import type { Context } from 'hono';
import { type SSEMessage, streamSSE } from 'hono/streaming';
import type { Feed, FeedEntry } from '../service/feed.ts';

/** A reader that falls further behind is disconnected; it reconnects with Last-Event-ID. */
const MAX_UNSENT_CHARACTERS = 4 * 1024 * 1024;

/** How often a comment is sent, so that proxies and browsers do not consider a quiet connection dead. */
const HEARTBEAT_MS = 15_000;

type TextMessage = SSEMessage & { data: string };

/**
 * Streams server-sent events until the reader leaves or the server closes.
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
 *
 * @param start starts sending, and returns the function that stops it
 */
export const streamEvents = (context: Context, start: (send: (message: TextMessage) => void) => () => void): Response =>
  streamSSE(context, async (stream) => {
    const ended = Promise.withResolvers<void>();
    let lastWrite: Promise<unknown> = stream.write('retry: 1000\n\n');
    let unsentCharacters = 0;
    let isBehind = false;

    const send = (message: TextMessage) => {
      isBehind ||= unsentCharacters > MAX_UNSENT_CHARACTERS;
      if (isBehind) return ended.resolve();
      unsentCharacters += message.data.length;
      lastWrite = stream.writeSSE(message).then(() => {
        unsentCharacters -= message.data.length;
      });
    };

    const stop = start(send);
    const heartbeat = setInterval(() => void stream.write(': alive\n\n'), HEARTBEAT_MS).unref();
    stream.onAbort(ended.resolve);
    await ended.promise;
    clearInterval(heartbeat);
    stop();
    // Closing the stream discards what is not written yet.
    await lastWrite;
  });

/**
 * Streams the feed. With `Last-Event-ID` or `?after=` it continues after that entry; if later entries were
 * dropped, it starts with an entry of type `gap`, after which a reader must reload everything.
 */
export const feedStream = (context: Context, feed: Feed, now: Date): Response => {
  const after = context.req.header('last-event-id') ?? context.req.query('after');
  return streamEvents(context, (send) => {
    const sendEntry = ({ id, json }: FeedEntry) => send({ id: String(id), data: json });
    const missed = after === undefined ? [] : feed.after(Number(after));
    if (missed === undefined) {
      const gap = { id: feed.lastId(), at: now.toISOString(), type: 'gap' };
      sendEntry({ id: gap.id, json: JSON.stringify(gap) });
    } else for (const entry of missed) sendEntry(entry);
    return feed.subscribe(sendEntry);
  });
};
