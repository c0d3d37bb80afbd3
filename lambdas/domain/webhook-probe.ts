/**
 * The body of a request that proves that the webhook accepts a secret: `parley doctor` authenticates it as the chat
 * service does its events. It is no event in any format, so no event can be mistaken for it.
 */
export const PROBE_BODY = '{"parley":"probe"}';

/** Whether the body of an authentic request is a probe. Compares the exact bytes, so that it costs next to nothing. */
export const isProbe = (rawBody: Buffer): boolean =>
  rawBody.byteLength === PROBE_BODY.length && rawBody.equals(Buffer.from(PROBE_BODY));
