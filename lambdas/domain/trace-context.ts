import { createHash } from 'node:crypto';

/**
 * A W3C `traceparent`, version 00: the ID of a trace, the ID of the span that it continues, and whether the caller
 * samples the trace, such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. Parley does not carry
 * `tracestate`, which has data of other tracing systems.
 * Source: https://www.w3.org/TR/trace-context/#traceparent-header
 */
export type Traceparent = string;

/** The name of the HTTP header, of the SQS message attribute, and of the field in items and events. */
export const TRACEPARENT = 'traceparent';

/** A later version may append fields, which start with a dash. */
const FORMAT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/s;

const SAMPLED = 0x01;

/**
 * Parses a `traceparent` that a caller sent. Returns it as version 00, with no other flag than `sampled`, as the
 * specification requires of a `traceparent` that is passed on. Returns undefined for an invalid one.
 */
export const parseTraceparent = (value: string | undefined): Traceparent | undefined => {
  const [, version, traceId, parentId, flags, rest] = FORMAT.exec(value?.trim() ?? '') ?? [];
  if (traceId === undefined || parentId === undefined || flags === undefined) return undefined;
  if (version === VERSION && rest !== undefined) return undefined;
  return format(traceId, parentId, (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED);
};

const VERSION = '00';

const format = (traceId: string, parentId: string, isSampled: boolean): Traceparent =>
  `${VERSION}-${traceId}-${parentId}-${isSampled ? '01' : '00'}`;

/**
 * Starts a trace for an event or a request that came without one. Its IDs are derived from the name, so that every
 * delivery of the event or the request starts the same trace. Parley records no spans, so it does not set `sampled`.
 * Source: https://www.w3.org/TR/trace-context/#sampled-flag, "set to 0 as the default option"
 */
export const startTrace = (kind: 'message' | 'send' | 'broadcast', id: string): Traceparent => {
  const digest = hash([kind, id]);
  return format(nonZero(digest.slice(0, 32)), nonZero(digest.slice(32, 48)), false);
};

/** Returns the context of one step in a trace. Its span ID is derived from the name of the step. */
export const childSpan = (parent: Traceparent, step: string): Traceparent => {
  const spanId = nonZero(hash([parent, step]).slice(0, 16));
  return `${parent.slice(0, 36)}${spanId}${parent.slice(52)}`;
};

/** Returns the ID of the trace, for logs and views. */
export const traceIdOf = (traceparent: Traceparent): string => traceparent.slice(3, 35);

/** Returns the field by which the lines of a trace are found in the logs, if there is a trace. */
export const traceFieldOf = (traceparent: Traceparent | undefined): { readonly traceId?: string } =>
  traceparent ? { traceId: traceIdOf(traceparent) } : {};

/** The names are serialized as JSON, so that no two lists of names have the same hash. */
const hash = (names: readonly string[]): string => createHash('sha256').update(JSON.stringify(names)).digest('hex');

/** The specification forbids an ID of zeros only. */
const nonZero = (id: string): string => (/^0+$/.test(id) ? `${id.slice(1)}1` : id);
