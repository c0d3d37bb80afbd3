import { describeContent, readEventContent } from '../event-content.ts';
import { MAX_DETAIL_BYTES, SHORTENED_CHARACTERS, shortenStrings } from '../events/serialize-event.ts';
import type { Instant } from '../instant.ts';
import type { TurnMessage } from './turn.ts';

type Content = ReturnType<typeof describeContent>;

/** What the event of a turn needs from a message. It leaves out the message's own event, which can have 400 KB. */
interface SummarizedMessage {
  readonly id: string;
  readonly createdAt: Instant;
  readonly traceparent?: string | undefined;
  readonly from?: string | undefined;
  /** Undefined if the turn's content is too large for an event even with the shortest texts. */
  readonly content: Content | undefined;
  readonly bytes: number;
}

/** What the event of a turn needs from its messages. Its size is bounded, however large the messages are. */
export interface TurnSummary {
  readonly messages: readonly SummarizedMessage[];
  /** Whether texts were shortened, or the content left out, because it is too large for an event. */
  readonly isTruncated: boolean;
  /** The maximum length of texts: unlimited, then each length that `serializeEvent` uses, then 0 for no content. */
  readonly maxCharacters: number;
}

export const EMPTY_SUMMARY: TurnSummary = { messages: [], isTruncated: false, maxCharacters: Number.POSITIVE_INFINITY };

/** Adds a message. Shortens all texts as `serializeEvent` would, to keep in memory only what an event has room for. */
export const summarizeMessage = (
  { messages, isTruncated, maxCharacters }: TurnSummary,
  { id, createdAt, traceparent, body }: TurnMessage,
): TurnSummary => {
  const { from, sender: _sender, ...content } = readEventContent(body);
  const message = { id, createdAt, traceparent, from, content: describeContent(content), bytes: 0 };
  const added = [...messages, shorten(message, maxCharacters)];
  return fitting({ messages: added, isTruncated, maxCharacters });
};

const fitting = (summary: TurnSummary): TurnSummary => {
  const { messages, maxCharacters } = summary;
  if (messages.reduce((sum, { bytes }) => sum + bytes, 0) <= MAX_DETAIL_BYTES) return summary;
  const shorter = SHORTENED_CHARACTERS.find((length) => length < maxCharacters) ?? 0;
  const shortened = messages.map((message) => shorten(message, shorter));
  return fitting({ messages: shortened, isTruncated: true, maxCharacters: shorter });
};

const shorten = (message: SummarizedMessage, maxCharacters: number): SummarizedMessage => {
  if (message.content === undefined || maxCharacters === 0) return { ...message, content: undefined, bytes: 0 };
  const content = shortenStrings(message.content, maxCharacters);
  return { ...message, content, bytes: Buffer.byteLength(JSON.stringify(content)) };
};
