import { parseJson } from './parse-json.ts';
import * as z from './schema.ts';

const wakeUp = z.strictObject({ scheduledRequestId: z.string() });

/** A wake-up is short; a longer message is a request, and is parsed once, as that. */
const MAX_CHARACTERS = 512;

/**
 * What a schedule puts on the send queue at a request's time: the request's id alone. The request stands in the table
 * and nowhere else, so that one which was cancelled or erased there cannot go out.
 */
export const writeWakeUp = (requestId: string): string => JSON.stringify({ scheduledRequestId: requestId });

/** The request that a queue message wakes; undefined for any other message. */
export const readWakeUp = (body: string): string | undefined => {
  if (body.length > MAX_CHARACTERS) return undefined;
  const read = z.safeParse(wakeUp, parseJson(body));
  return read.success ? read.data.scheduledRequestId : undefined;
};
