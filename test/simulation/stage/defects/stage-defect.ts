import type { ItemUpdate } from '../../../../lambdas/adapters/dynamodb/item-update.ts';
import type { ConversationTable } from '../../../../lambdas/adapters/dynamodb/table.ts';
import { sendRequest, templateRequest, USER } from '../../../support/builders.ts';
import { MINUTE_MS, SECOND_MS } from '../durations.ts';
import type { Features, History } from '../history.ts';
import { type ActLater, features, history } from '../small-histories.ts';
import type { StageInvariantName } from '../stage-invariants.ts';
import type { StageMutation } from '../stage-mutation.ts';

/** A defect that is seeded in a stage, and a short history in which an invariant finds it. */
export interface StageDefect {
  readonly breaks: string;
  readonly invariant: StageInvariantName;
  /** Called for each process. */
  readonly create: () => StageMutation;
  readonly history: History;
}

/** A history without faults, unless it lists some. */
export const historyOf = (
  acts: readonly ActLater[],
  {
    features: changes,
    faults = [],
  }: { readonly features?: Partial<Features>; readonly faults?: readonly string[] } = {},
): History => history(acts, { features: features({ sendConcurrency: 3, ...changes }), faults });

export const writes = (afterMs = 0, contact = USER): ActLater => ({
  kind: 'user-writes',
  contact,
  text: 'Where is it?',
  afterMs,
});

export const reads = (afterMs: number): ActLater => ({ kind: 'user-reads', contact: USER, afterMs });

interface RequestOptions {
  readonly afterMs?: number;
  readonly groupId?: string;
  readonly contact?: string;
  /** Of another delivery of the same request. */
  readonly deduplicationId?: string;
  readonly fields?: object;
  /** @default the send queue */
  readonly lane?: 'bulk';
}

const queued = (number: number, request: object, options: RequestOptions): ActLater => {
  const { afterMs = 10 * SECOND_MS, contact = USER, groupId = contact, fields = {} } = options;
  const requestId = `request-${number}`;
  return {
    kind: 'request',
    via: 'queue',
    ...(options.lane && { lane: options.lane }),
    body: JSON.stringify({ ...request, requestId, platformContactId: contact, ...fields }),
    groupId,
    deduplicationId: options.deduplicationId ?? requestId,
    afterMs,
  };
};

export const freeForm = (number = 1, options: RequestOptions = {}): ActLater =>
  queued(number, sendRequest({ messageText: `request-${number}: It is on its way.` }), options);

export const template = (number = 1, options: RequestOptions = {}): ActLater =>
  queued(number, templateRequest({ params: { name: `request-${number}` } }), options);

export const consent = (kind: 'opt-in' | 'opt-out', afterMs = 0, origin: 'user' | 'import' = 'user'): ActLater => ({
  kind: 'consent',
  contact: USER,
  consent: kind,
  origin,
  agoMs: 0,
  afterMs,
});

export const outage = (
  part: 'chat-service' | 'table' | 'queues' | 'bus',
  { afterMs = 0, forMs = MINUTE_MS, how = 'throttled' as 'refused' | 'bad-gateway' | 'throttled' | 'unanswered' } = {},
): ActLater => ({ kind: 'outage', part, how, forMs, afterMs });

/** A user writes, is answered, and reads the answer. */
export const ANSWERED = historyOf([writes(), freeForm(), reads(3 * MINUTE_MS)]);

/** Changes or suppresses the updates of the table by one function. */
export const updating =
  (change: (update: ItemUpdate) => ItemUpdate | undefined) =>
  (table: ConversationTable): Partial<ConversationTable> => ({
    async update(update, options) {
      const changed = change(update);
      return changed ? table.update(changed, options) : { kind: 'written', item: await table.get(update.key) };
    },
  });

export const withoutCondition = ({ condition, values, ...update }: ItemUpdate): ItemUpdate => update;

export const isOf = ({ key }: ItemUpdate, prefix: string): boolean => key.pk.startsWith(prefix);

export const USERS = Array.from({ length: 8 }, (_, index) => `+49151230000${index}0`);
