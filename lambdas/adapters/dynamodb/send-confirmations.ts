import { parseFailure } from '../../domain/failure.ts';
import { acceptedMessage } from '../../domain/send.ts';
import type { SendTransitionName } from '../../domain/send-transitions.ts';
import type { SendRepository } from '../../ports.ts';
import type { Item } from '../../table/item.ts';
import { NOT_FAILED, NOT_UNCERTAIN, parseSend } from '../../table/send-item.ts';
import { createTransitions } from './send-writes.ts';
import type { ConversationTable } from './table.ts';

/** Creates the part of the repository of sends that records what statuses say about them. */
export const createSendConfirmations = (table: ConversationTable): Pick<SendRepository, 'confirm' | 'fail'> => {
  const { apply, transition } = createTransitions(table);
  return {
    async confirm(requestId, { messageId, at }) {
      const set = {
        messageId,
        identifiedAt: at,
        acceptedAt: at,
        confirmedBy: 'status',
        outcome: 'A status of the message arrived, so the chat service has accepted the message.',
        leaseUntil: undefined,
        code: undefined,
        ...NOT_UNCERTAIN,
      };
      const attempt = (name: SendTransitionName, written: Item) =>
        apply(name, requestId, { set: written }, { messageId }, { returnItem: true });
      let { kind, item } = await attempt('confirm', set);
      if (kind === 'conflict' && item?.state === 'accepted') {
        ({ kind, item } = await attempt('identify', { messageId, identifiedAt: at }));
      } else if (kind === 'conflict' && item?.state === 'failed') {
        const acceptedAt = item.confirmedBy === undefined ? item.acceptedAt : at;
        ({ kind, item } = await attempt('confirmFailed', { identifiedAt: at, acceptedAt: at }));
        if (kind === 'conflict') ({ kind, item } = await attempt('identifyFailed', { identifiedAt: at }));
        // Another message of the send is earlier than the one that failed, and so is the send's.
        const named = { messageId, identifiedAt: at, acceptedAt, ...NOT_FAILED };
        if (kind === 'conflict') ({ kind, item } = await attempt('identifyOther', named));
      } else if (kind === 'conflict' && item?.state !== undefined) {
        ({ kind, item } = await attempt('confirmEarlier', set));
      }
      if (item === undefined || (kind === 'conflict' && !isNamedByStatus(item, messageId))) return undefined;
      return acceptedMessage(parseSend(item));
    },

    fail: (requestId, { messageId, at, failure }) =>
      transition(
        'fail',
        requestId,
        { set: { failedAt: at, failure, code: parseFailure(failure).code } },
        { messageId },
      ),
  };
};

/**
 * Whether the send already has this message ID from a status. The function that stored the status may have died before
 * it stored the message.
 */
const isNamedByStatus = ({ state, messageId, identifiedAt }: Item, id: string): boolean =>
  (state === 'accepted' || state === 'failed') && messageId === id && identifiedAt !== undefined;
