import type { InboundMessage } from '../../domain/webhook-event.ts';
import type { Clock, MessageRepository } from '../../ports.ts';

/** What adds a message to its contact's open turn. Undefined for a message that belongs to no turn. */
export type Turn = Parameters<MessageRepository['recordInbound']>[1];

/**
 * A turn starts when its first message is stored: measured from an event's own time, a late event would end its turn at
 * once. A message from a status may not be the user's. If it is, it also arrives as an event of its own. An imported
 * message starts no turn, because nobody should answer it now.
 */
export const turnOf = ({ isFromStatus, isImported }: InboundMessage, clock: Clock): Turn =>
  isFromStatus === undefined && isImported === undefined ? { startedAt: clock.now() } : undefined;
