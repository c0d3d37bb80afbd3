import { addMs } from '../../domain/instant.ts';
import * as z from '../../domain/schema.ts';
import type { SendRepository } from '../../ports.ts';
import { parseItem } from '../../table/item.ts';
import { sendKey } from '../../table/keys.ts';
import { requestAttributes, resultAttributes } from '../../table/send-item.ts';
import { createTransitions, TRANSITION_TO } from './send-writes.ts';
import type { ConversationTable } from './table.ts';

/** Creates the part of the repository of sends that records what becomes of a request without a call. */
export const createUnclaimedSends = (
  table: ConversationTable,
): Pick<SendRepository, 'schedule' | 'recordWithoutCall' | 'recordFailure'> => {
  const { transition } = createTransitions(table);
  return {
    async schedule(send, { at, sendAt }) {
      // Retention starts when the request is sent.
      const { set, setOnce } = requestAttributes(send, at, table.expiryOf('sends', sendAt));
      const update = { set: { ...set, code: undefined, scheduledAt: at, sendAt }, setOnce };
      return transition('schedule', send.request.requestId, update, { body: send.body });
    },

    recordWithoutCall(send, result) {
      const { set, setOnce } = requestAttributes(send, result.at, table.expiryOf('sends', result.at));
      const update = { set: { ...set, code: undefined, ...resultAttributes(result) }, setOnce };
      return transition(TRANSITION_TO[result.state], send.request.requestId, update, { body: send.body });
    },

    async recordFailure({ requestId, body }, at) {
      const key = sendKey(requestId);
      // A scheduled send is retained from its sendAt on, which this must not shorten.
      const setOnce = { expiresAt: table.expiryOf('sends', at) };
      const own = body === undefined ? '' : ' AND (attribute_not_exists(#body) OR #body = :body)';
      const values = body === undefined ? {} : { body };
      const continued = await table.update(
        {
          key,
          set: { lastFailedAt: at },
          setOnce: { ...setOnce, failingSince: at },
          values: { ...values, recentAt: addMs(at, -MAX_FAILURE_GAP_MS) },
          condition: `(attribute_not_exists(#lastFailedAt) OR #lastFailedAt >= :recentAt)${own}`,
        },
        { returnItem: true },
      );
      if (continued.kind === 'written') return parseItem(z.string(), continued.item?.failingSince);
      await table.update({
        key,
        set: { lastFailedAt: at, failingSince: at },
        setOnce,
        values,
        condition: `attribute_exists(#lastFailedAt)${own}`,
      });
      return at;
    },
  };
};

/** A request that is retried fails again well within this time; after a longer one, it failed for another reason. */
const MAX_FAILURE_GAP_MS = 60 * 60 * 1000;
