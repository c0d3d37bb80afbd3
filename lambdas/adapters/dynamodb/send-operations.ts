import { RESOLUTIONS } from '../../domain/send.ts';
import type { SendRepository } from '../../ports.ts';
import { sendKey } from '../../table/keys.ts';
import { parseSend, requestAttributes, resolutionAttributes, unknownCallAttributes } from '../../table/send-item.ts';
import { createTransitions } from './send-writes.ts';
import type { ConversationTable } from './table.ts';

/** Creates the part of the repository of sends that the management API needs beside the events that it imports. */
export const createSendOperations = (
  table: ConversationTable,
): Pick<SendRepository, 'read' | 'register' | 'cancel' | 'resolve'> => {
  const { transition } = createTransitions(table);
  return {
    async read(requestId) {
      const item = await table.get(sendKey(requestId));
      return item?.state === undefined ? undefined : parseSend(item);
    },

    async register(send, at) {
      const { set, setOnce } = requestAttributes(send, at, table.expiryOf('sends', at));
      const update = { set: { ...set, queuedAt: at }, setOnce };
      return transition('register', send.request.requestId, update, { body: send.body });
    },

    async cancel(requestId, at) {
      return transition('cancel', requestId, {
        set: { cancelledAt: at, outcome: 'An operator cancelled it.' },
      });
    },

    async resolve(send, resolution) {
      return transition(
        RESOLUTIONS[resolution.outcome],
        send.requestId,
        {
          set: {
            ...resolutionAttributes(resolution, send),
            ...(resolution.outcome === 'resend' && unknownCallAttributes(send)),
          },
          // The state no longer says that the outcome of the latest call is unknown.
          increment: send.state === 'uncertain' && resolution.outcome !== 'accepted' ? ['unknownOutcomes'] : [],
        },
        { claimId: send.claimId, state: send.state },
      );
    },
  };
};
