import { parseObject } from '../../world/parse-object.ts';
import type { ReceiveMutation } from '../../world/receive-process.ts';
import { bodiesInPost, postOf, type WireEvent } from '../../world/translate-event.ts';

/** Changes the bodies of the events in a post before they are stored. */
export const mapPosts = (change: (bodies: readonly string[]) => readonly string[]): ReceiveMutation => ({
  storeEvents: (storeEvents) => async (request) => {
    const envelope = parseObject(request.rawBody.toString());
    const { message } = envelope ?? {};
    const data = typeof message === 'object' && message !== null && 'data' in message ? message.data : undefined;
    const post = typeof data === 'string' ? Buffer.from(data, 'base64').toString() : request.rawBody.toString();
    const bodies = change(bodiesInPost(post));
    if (bodies.length === 0) return [];
    const changed = Buffer.from(postOf(bodies));
    const rawBody =
      typeof data === 'string'
        ? Buffer.from(
            JSON.stringify({ ...envelope, message: { ...Object(message), data: changed.toString('base64') } }),
          )
        : changed;
    return storeEvents({ ...request, rawBody });
  },
});

/** Changes the events of a post, or leaves them out, before they are stored. */
export const mapEvents = (change: (event: WireEvent) => WireEvent | undefined): ReceiveMutation =>
  mapPosts((bodies) =>
    bodies.flatMap((body) => {
      const event = parseObject(body);
      const changed = event && change(event);
      if (event === undefined) return [body];
      return changed === undefined ? [] : [JSON.stringify(changed)];
    }),
  );
