import { readEventContent } from './event-content.ts';
import { addMs, type Instant } from './instant.ts';
import type { SendRecord } from './send.ts';

/** The chat service's clock can be behind. */
const BEFORE_MS = 60_000;
const AFTER_MS = 10 * 60_000;

/** A message of the business, as the chat service reported it. */
export interface EchoedMessage {
  readonly id: string;
  readonly createdAt: Instant;
  /** The event exactly as received. */
  readonly body: string;
}

/** Returns between which times the message of an uncertain send would have been written, if it was sent. */
export const timesOfLikelyMessage = ({
  state,
  claimedAt,
  call,
}: Pick<SendRecord, 'state' | 'claimedAt' | 'call'>):
  | { readonly from: Instant; readonly until: Instant }
  | undefined =>
  state === 'uncertain' && claimedAt !== undefined && call !== undefined
    ? { from: addMs(claimedAt, -BEFORE_MS), until: addMs(claimedAt, AFTER_MS) }
    : undefined;

/**
 * Returns the message that an uncertain send probably is: the only one with its text or its template.
 *
 * @param echoes the messages of the business to the contact at that time, without those of other sends
 */
export const likelyMessage = (
  { call }: Pick<SendRecord, 'call'>,
  echoes: readonly EchoedMessage[],
): Pick<EchoedMessage, 'id' | 'createdAt'> | undefined => {
  const [likely, ...others] = echoes.filter(({ body }) => call !== undefined && isOfCall(call, body));
  return likely === undefined || others.length > 0 ? undefined : { id: likely.id, createdAt: likely.createdAt };
};

const isOfCall = ({ endpoint, body }: NonNullable<SendRecord['call']>, echo: string): boolean => {
  const { sender, text, templateName } = readEventContent(echo);
  if (sender === 'user') return false;
  // What a template's text becomes is known only to the chat service.
  if (endpoint === 'intent/v2') return templateName !== undefined && templateName === body.ruleNameOrId;
  return typeof body.messageText === 'string' && text?.trim() === body.messageText.trim() && text.trim() !== '';
};
