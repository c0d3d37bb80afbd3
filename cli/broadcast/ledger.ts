import { z } from 'zod';
import type { Instant } from '../../lambdas/domain/instant.ts';
import type { SendState } from '../../lambdas/domain/send-transitions.ts';
import { sendListResponse } from '../../lambdas/manage/api/send-lists.ts';
import { CliError, EXIT } from '../base/errors.ts';
import type { ManagementClient } from '../operations/management-client.ts';
import { contactOfRequestId, identifyRow, MAX_REPETITION, repetitionId } from './row-identity.ts';

/** A request of a broadcast that the stage has. */
export interface LedgerEntry {
  readonly state: SendState;
  readonly code?: string;
  /** Whether it ended, its message cannot have reached the contact, and nothing but a new request can send it. */
  readonly isUnsent: boolean;
  /** Whether it belongs to the repetition itself, not to a later one. */
  readonly isOwn: boolean;
  /** As in a `RowIdentity`; absent if the contact was erased. */
  readonly content?: string;
  /** The names of its variables, sorted. */
  readonly variables?: string;
}

/** The requests that the stage has for a repetition of a broadcast. */
export interface Ledger {
  /** The ID that the requests of the repetition have as their broadcast. */
  readonly broadcastId: string;
  readonly requestIds: ReadonlySet<string>;
  /** The requests to each contact, also those of later repetitions: whoever has one of these has the broadcast. */
  readonly contacts: ReadonlyMap<string, readonly LedgerEntry[]>;
  /** When the latest request was queued, scheduled, or tried. */
  readonly latestAt?: Instant;
  /** The first later repetition of which the stage has nothing. */
  readonly next: number;
}

/** A failed message is not among them: most would fail again. */
const UNSENT: readonly SendState[] = ['refused', 'rejected', 'expired', 'cancelled'];

/** A refusal after which the request is a dead letter, which a redrive sends. */
export const DEAD_LETTER = 'PROCESSING_FAILED';

const PAGE = 500;

const addressedRequest = z.looseObject({ platformContactId: z.string() });

async function* sendsOf(call: ManagementClient, broadcast: string) {
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ broadcast, limit: String(PAGE), ...(cursor !== undefined && { cursor }) });
    const page = sendListResponse.parse(await call('GET', `/v1/sends?${query}`));
    yield* page.sends;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/**
 * Reads the requests of a repetition and of the later ones. A request that has not been processed yet is missing, and its
 * ID makes sure that it is sent once all the same.
 *
 * @throws CliError if the repetition before it has no requests, because a number was left out or is still to come.
 */
export const readLedger = async (call: ManagementClient, broadcastId: string, repetition: number): Promise<Ledger> => {
  if (repetition > 1) await requireSends(call, broadcastId, repetition - 1);
  const id = repetitionId(broadcastId, repetition);
  const requestIds = new Set<string>();
  const contacts = new Map<string, LedgerEntry[]>();
  let latestAt: Instant | undefined;
  let next = repetition;
  let size: number;
  do {
    size = 0;
    const readId = repetitionId(broadcastId, next);
    const isOwn = next === repetition;
    for await (const { requestId, state, code, unknownOutcomes, request, ...times } of sendsOf(call, readId)) {
      size += 1;
      if (isOwn) requestIds.add(requestId);
      const read = addressedRequest.safeParse(request);
      // Also of a request that another system queued for this broadcast.
      const identity = read.success ? identifyRow(broadcastId, read.data) : undefined;
      const contact = identity?.contact ?? contactOfRequestId(readId, requestId);
      const entry = {
        state,
        ...(code !== undefined && { code }),
        isUnsent: UNSENT.includes(state) && code !== DEAD_LETTER && unknownOutcomes === 0,
        isOwn,
        ...(identity && { content: identity.content, variables: variablesOf(read.data?.params) }),
      };
      const entries = contacts.get(contact);
      if (entries === undefined) contacts.set(contact, [entry]);
      else entries.push(entry);
      const at = times.claimedAt ?? times.waitingAt ?? times.scheduledAt ?? times.queuedAt;
      if (at !== undefined && (latestAt === undefined || at > latestAt)) latestAt = at;
    }
    next += 1;
  } while (size > 0 && next <= MAX_REPETITION);
  return {
    broadcastId: id,
    requestIds,
    contacts,
    ...(latestAt !== undefined && { latestAt }),
    next: Math.max(size > 0 ? next : next - 1, repetition + 1),
  };
};

const requireSends = async (call: ManagementClient, broadcastId: string, repetition: number): Promise<void> => {
  const id = repetitionId(broadcastId, repetition);
  for await (const _ of sendsOf(call, id)) return;
  throw new CliError(
    EXIT.usage,
    `The stage has processed no request of the broadcast ${id} yet, so there is nothing to send again. Check the ` +
      'number of --again, or wait.',
  );
};

/** Returns the names of a request's variables, sorted. */
export const variablesOf = (params: unknown): string =>
  typeof params === 'object' && params !== null ? Object.keys(params).toSorted().join(', ') : '';
