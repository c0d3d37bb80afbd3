import { addMs, type Instant } from '../instant.ts';
import { type ParsedEvent, type ParseEventContext, parsePosted } from '../parse-events.ts';
import { parseJson } from '../parse-json.ts';
import type { WebhookEvent } from '../webhook-event.ts';
import { WEBHOOK_FORMATS } from '../webhook-formats/formats.ts';
import { describeUnknown, splitPost } from '../webhook-formats/split-post.ts';
import { isFields } from '../webhook-formats/webhook-format.ts';
import { HISTORY_FORMATS, historyFormatOf } from './history-formats.ts';

/** What stands for any format of the webhook, for a file of recorded events. */
export const RECORDED_EVENTS = 'webhook';

/** The names of the formats that an import can be confined to. */
export const IMPORT_FORMATS: readonly string[] = [...HISTORY_FORMATS.map(({ name }) => name), RECORDED_EVENTS];

export interface HistoryContext
  extends Pick<ParseEventContext, 'chatPlatform' | 'windowPer' | 'stageNumber' | 'namesChannels'> {
  /** When the entries are imported. */
  readonly now: Instant;
  /** One of {@link IMPORT_FORMATS}. @default the entry's own */
  readonly format?: string | undefined;
}

/**
 * DynamoDB never deletes an item that expired more than five years ago.
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ttl-expired-items.html
 */
const MAX_AGE_MS = 5 * 365 * 24 * 60 * 60 * 1000;

/**
 * Parses an entry of a history into its events, which are marked as imported. It is an entry in one of the service's own
 * formats, or a recorded post of the webhook, which can have several events. An event without a time of its own is
 * unreadable: dated by its import, it would open a window, and count as later than what followed it.
 */
export const parseHistory = (text: string, { now, format, ...context }: HistoryContext): readonly ParsedEvent[] => {
  const times = { receivedAt: now };
  const fields = parseJson(text);
  const history = isFields(fields) ? historyFormatOf(fields) : undefined;
  const name = history?.name ?? RECORDED_EVENTS;
  if (fields !== undefined && format !== undefined && format !== name) {
    return [{ kind: 'unreadable', body: text, reason: `It is not in the format ${format}.` }];
  }
  if (history !== undefined && isFields(fields)) {
    return [asImported(parsePosted({ body: text, format: history, fields, entry: 0 }, { ...context, times }), now)];
  }
  return splitPost(text, describeUnknownEntry).map((posted) =>
    'reason' in posted
      ? { kind: 'unreadable', body: posted.body, reason: posted.reason }
      : asImported(parsePosted(posted, { ...context, times }), now),
  );
};

const describeUnknownEntry: typeof describeUnknown = (fields) =>
  describeUnknown(fields, [...HISTORY_FORMATS, ...WEBHOOK_FORMATS]);

const asImported = (parsed: ParsedEvent, now: Instant): ParsedEvent => {
  if (parsed.kind === 'unreadable') return parsed;
  const { event } = parsed;
  const fault = faultOfTime(event, now);
  if (fault !== undefined) return { kind: 'unreadable', body: event.body, reason: fault };
  if (event.kind === 'message' && !event.opensWindow) {
    return { kind: 'unreadable', body: event.body, reason: WITHOUT_NUMBER };
  }
  if (event.kind !== 'status') return { kind: 'event', event: { ...event, isImported: true } };
  const { message } = event;
  return {
    kind: 'event',
    event: { ...event, isImported: true, ...(message && { message: { ...message, isImported: true } }) },
  };
};

/** The webhook stores such a message without a window, and reports it. An import is to be complete. */
const WITHOUT_NUMBER = 'It names no business number, and the stage has a conversation window per number.';

const faultOfTime = ({ time: { at, source, own } }: WebhookEvent, now: Instant): string | undefined => {
  if (own !== undefined) return 'Its time is in the future.';
  if (source !== 'event') return 'It has no time of its own, or none with an offset from UTC.';
  return at < addMs(now, -MAX_AGE_MS) ? 'Its time is more than five years ago.' : undefined;
};
