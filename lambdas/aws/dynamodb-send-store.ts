import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { AccountRef } from '../domain/account.ts';
import type { Conclusion, QueuedSend } from '../domain/send-state.ts';
import type { HeldSend, SendStore } from '../ports.ts';
import { readAccountItem, readContactItem, readSendItem } from './item-readers.ts';
import { outboundUpdate } from './outbound-update.ts';
import { readItems } from './read-items.ts';
import { accountItem, contactItem, contactName, sendItem, unsettledPartition } from './table-keys.ts';
import { expiryOf, type ItemUpdate, updateItem } from './update-item.ts';

export interface DynamodbSendStoreOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly retentionDays: number;
  /** The account that is sent by. */
  readonly account: AccountRef;
}

/** What a write did, or how the item stood that did not let it. */
type Tried =
  | { readonly kind: 'written'; readonly attempts: number }
  | (HeldSend & { readonly settledBy: string | undefined });

/** A send that is new, or one that waits, for its time or for another try. Two bodies under one request id are two requests: the first one stands. */
const OPEN = 'attribute_not_exists(#state) OR (#body = :body AND #state IN (:waiting, :scheduled))';
const OPEN_OR_UNCERTAIN =
  'attribute_not_exists(#state) OR (#body = :body AND #state IN (:waiting, :scheduled, :uncertain))';
const OPEN_STATES = { waiting: 'waiting', scheduled: 'scheduled' };

/** An answer counts more than what a status told before it, so that their order does not matter. */
const OURS_TO_ACCEPT = '#claimId = :claimId AND (#state IN (:claimed, :uncertain) OR #settledBy = :status)';
/** Nothing but an acceptance undoes `uncertain`: the request's message may be gone from the queue by then. */
const OURS = '#claimId = :claimId AND #state = :claimed';

/** Puts the send into the index by contact, where an erasure finds it. */
const KEEP_CREATED_AT = '#createdAt = if_not_exists(#createdAt, :createdAt)';

/** Keeps sends; every transition is one conditional write. */
export const createDynamodbSendStore = ({
  client,
  tableName,
  retentionDays,
  account,
}: DynamodbSendStoreOptions): SendStore => {
  /** Undefined where the condition failed on an item that is not there. */
  const updateOrGone = async (change: ItemUpdate): Promise<Tried | undefined> => {
    try {
      const { Attributes } = await client.send(
        new UpdateItemCommand({
          ...updateItem(tableName, change),
          ReturnValues: 'UPDATED_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return { kind: 'written', attempts: Number(Attributes?.attempts?.N ?? 0) };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return error.Item && held(error.Item);
    }
  };

  const update = async (change: ItemUpdate): Promise<Tried> => {
    const tried = await updateOrGone(change);
    if (tried === undefined) throw new Error(`A condition failed on ${change.key.pk}, which is not there.`);
    return tried;
  };

  /** A note on a contact, which gives way to a later one. */
  const note = async (change: ItemUpdate): Promise<void> => {
    try {
      await client.send(new UpdateItemCommand(updateItem(tableName, change)));
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  };

  const requestAttributes = ({ body, contact }: QueuedSend, at: string) => ({
    body,
    contact: contactName(contact),
    expiresAt: expiryOf(at, retentionDays),
  });

  return {
    async readSituation(contact, { accountToo }) {
      const keys = [contactItem(contact), ...(accountToo ? [accountItem(account)] : [])];
      const [contactFound, accountFound] = await readItems(client, tableName, keys);
      return {
        contact: readContactItem(contactFound ?? {}),
        ...(accountToo && { account: readAccountItem(accountFound) }),
      };
    },

    async claim(send, claim, { uncertainToo }) {
      const tried = await update({
        key: sendItem(send.request.requestId),
        set: { ...requestAttributes(send, claim.claimedAt), ...claim, state: 'claimed', unsettled: undefined },
        alsoSet: ['#attempts = if_not_exists(#attempts, :none) + :one', KEEP_CREATED_AT],
        names: ['attempts', 'createdAt'],
        values: {
          none: 0,
          one: 1,
          createdAt: claim.claimedAt,
          ...OPEN_STATES,
          ...(uncertainToo && { uncertain: 'uncertain' }),
        },
        condition: uncertainToo ? OPEN_OR_UNCERTAIN : OPEN,
      });
      if (tried.kind === 'written') return { kind: 'claimed', attempt: tried.attempts };
      // The SDK repeated a write whose answer was lost: the claim that stands is ours.
      const { state, claimId, attempts } = tried.send;
      return state === 'claimed' && claimId === claim.claimId ? { kind: 'claimed', attempt: attempts } : tried;
    },

    async conclude(requestId, claimId, conclusion) {
      const isAccepted = conclusion.state === 'accepted';
      const tried = await updateOrGone({
        key: sendItem(requestId),
        set: {
          ...conclusionAttributes(conclusion),
          leaseUntil: undefined,
          ...(isAccepted && { uncertainAt: undefined, settledBy: undefined }),
          unsettled: conclusion.state === 'uncertain' ? unsettledPartition(requestId) : undefined,
        },
        names: ['claimId'],
        values: { claimId, claimed: 'claimed', ...(isAccepted && { uncertain: 'uncertain', status: 'status' }) },
        condition: isAccepted ? OURS_TO_ACCEPT : OURS,
      });
      // Erased, or expired, while the call was made: there is nothing left to conclude.
      if (tried === undefined) return 'lost';
      if (tried.kind === 'written') return 'concluded';
      if (tried.settledBy !== undefined) return 'settled';
      return tried.send.claimId === claimId && tried.send.state === conclusion.state ? 'concluded' : 'lost';
    },

    async settle(send, conclusion) {
      const tried = await update({
        key: sendItem(send.request.requestId),
        set: { ...requestAttributes(send, conclusion.at), ...conclusionAttributes(conclusion) },
        alsoSet: [KEEP_CREATED_AT],
        names: ['createdAt'],
        values: { ...OPEN_STATES, createdAt: conclusion.at },
        condition: OPEN,
      });
      return tried.kind === 'written' ? { kind: 'settled' } : tried;
    },

    async recordOutbound(message) {
      await client.send(
        new UpdateItemCommand(
          updateItem(tableName, outboundUpdate(message, contactName(message.contact), retentionDays)),
        ),
      );
    },

    async noteWindowDenied(contact, at) {
      await note({
        key: contactItem(contact),
        set: { windowDeniedAt: at },
        condition: 'attribute_not_exists(#windowDeniedAt) OR #windowDeniedAt < :windowDeniedAt',
      });
    },

    async noteChecked(contact, { checkedAt, checkedAddress }) {
      await note({
        key: contactItem(contact),
        set: { checkedAt, checkedAddress },
        condition: 'attribute_not_exists(#checkedAt) OR #checkedAt < :checkedAt',
      });
    },
  };
};

const held = (item: Record<string, AttributeValue>): Tried => {
  const { settledBy, ...send } = readSendItem(unmarshall(item));
  return { kind: 'held', send, settledBy };
};

/** Each state has a time of its own: `acceptedAt`, `refusedAt`, `waitingAt` … */
const conclusionAttributes = ({ state, at, ...rest }: Conclusion): Record<string, unknown> => ({
  state,
  [`${state}At`]: at,
  ...rest,
});
