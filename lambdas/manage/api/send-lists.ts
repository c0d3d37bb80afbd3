import { type Instant, parseInstant } from '../../domain/instant.ts';
import * as z from '../../domain/schema.ts';
import { isInBroadcast, isListed, LISTED_STATES } from '../../domain/send-index.ts';
import { BROADCAST_ID, instant } from '../../domain/send-request.ts';
import { SEND_STATES, type SendState } from '../../domain/send-transitions.ts';
import type { ContactRepository, SendCountFilter, SendFilter, SendLists } from '../../ports.ts';
import { type Answer, invalidField, ok, problemResponse } from './answer.ts';
import { cursorField, parseCursor, writeCursor } from './cursor.ts';
import { customerIdField } from './customers.ts';
import { defineRoute, noBody } from './define-route.ts';
import { eventIdField, pageSize, storedContactFields } from './fields.ts';
import { sendResponse, viewSend } from './sends.ts';
import { readEarlierUsers, selectUser, type UserPartPorts } from './user-parts.ts';

export interface SendListPorts extends UserPartPorts {
  readonly lists: SendLists;
  readonly contacts: UserPartPorts['contacts'] & Pick<ContactRepository, 'readOwn'>;
}

const DEFAULT_PAGE_SIZE = 100;
export const MAX_PAGE_SIZE = 500;

/** What selects sends in lists and counts. */
const filterFields = {
  state: z.optional(z.enum(SEND_STATES, `must be one of ${SEND_STATES.join(', ')}`)),
  /** The `broadcastId` of the requests. */
  broadcast: z.optional(z.wellFormedString().check(z.regex(BROADCAST_ID, 'must be 1 to 64 characters without spaces'))),
  /** Why Parley refused them, such as `OPTED_OUT`, or the code of their rejection or failure. */
  code: z.optional(
    z.wellFormedString().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be a code such as OPTED_OUT or 104')),
  ),
  /** Only sends that entered their state since then; of a contact or a customer, only those created since then. */
  since: z.optional(instant),
};

export const sendListResponse = z.object({
  sends: z.array(sendResponse),
  /** Pass it to get the next page. Absent on the last page. */
  cursor: z.optional(z.string()),
});

/** Values without a space are times and IDs. A position's sort key and ID are separated by one. */
const sendPosition = z.record(z.string(), z.string().check(z.regex(/^[\x21-\x7e]{1,500}( [\x21-\x7e]{1,128})?$/)));

export const listSends = defineRoute({
  route: 'GET /v1/sends',
  summary: 'List sends by state, contact, customer, or broadcast',
  description:
    'Needs state, contact, customerId, or broadcast. The sends of a contact, or of a customer at all addresses, are ' +
    'listed newest first; those of a broadcast by state, ' +
    'code, and time. Of a state, sends that ended are listed newest first, and sends that wait start with the one that ' +
    `waits longest. ${LISTED_STATES.join(', ')} can always be listed, and other states only together with ` +
    'contact, customerId, or broadcast. A page can have fewer sends than its limit, even ' +
    'none: the last page is the one without a cursor.',
  query: z.strictObject({
    ...filterFields,
    /** The user's id on the platform. */
    contact: z.optional(eventIdField),
    customerId: z.optional(customerIdField),
    ...storedContactFields,
    /** Sends per page, at most. @default 100 */
    limit: z.optional(pageSize(MAX_PAGE_SIZE)),
    cursor: z.optional(cursorField),
  }),
  body: noBody,
  responses: { 200: sendListResponse, 400: problemResponse, 409: problemResponse },
  async handle(ports: SendListPorts, { query }) {
    const { lists } = ports;
    const { cursor, limit = DEFAULT_PAGE_SIZE, broadcast: broadcastId, state, code } = query;
    const since = parseInstant(query.since);
    const { user, refusal } = await selectUser(ports, query, 'contact', async (subject) => {
      const own = await ports.contacts.readOwn(subject, ports.clock.now());
      return { subject, earlier: await readEarlierUsers(ports, subject, own ?? {}) };
    });
    if (refusal !== undefined) return refusal;
    if (user !== undefined) return list(lists, { user, broadcastId, state, code, since }, { limit, cursor });
    const filter = filterOf({ state, code, since, broadcastId });
    if (filter === undefined) {
      return invalidField('the query', 'selects no sends; add `state`, `contact`, `customerId`, or `broadcast`');
    }
    return unlistable(filter, '`contact`, `customerId`, or `broadcast`') ?? list(lists, filter, { limit, cursor });
  },
});

export const listUncertainSends = defineRoute({
  route: 'GET /v1/uncertain-sends',
  summary: 'List the sends whose outcome is unknown, oldest first',
  description: 'The same as GET /v1/sends?state=uncertain.',
  query: z.strictObject({
    /** Sends per page, at most. @default 100 */
    limit: z.optional(pageSize(MAX_PAGE_SIZE)),
    cursor: z.optional(cursorField),
  }),
  body: noBody,
  responses: { 200: sendListResponse, 400: problemResponse },
  handle: ({ lists }: Pick<SendListPorts, 'lists'>, { query: { cursor, limit = DEFAULT_PAGE_SIZE } }) =>
    list(lists, { state: 'uncertain' }, { limit, cursor }),
});

export const sendCountsResponse = z.object({
  counts: z.array(
    z.object({
      state: z.enum(SEND_STATES),
      /** Why Parley refused them, or the code of their rejection or failure. */
      code: z.optional(z.string()),
      count: z.number(),
    }),
  ),
  /** Present if there are more sends to count: pass it in the next call, and add up the counts of all calls. */
  cursor: z.optional(z.string()),
});

export const countSends = defineRoute({
  route: 'GET /v1/send-counts',
  summary: 'Count the sends of a state or a broadcast by state and code',
  description:
    'Needs state or broadcast. Each call counts up to 40,000 sends. The index lags slightly behind the sends, so a send ' +
    'that is changing state can be missing or counted in its earlier state.',
  query: z.strictObject({ ...filterFields, cursor: z.optional(cursorField) }),
  body: noBody,
  responses: { 200: sendCountsResponse, 400: problemResponse },
  async handle({ lists }: Pick<SendListPorts, 'lists'>, { query }) {
    const { cursor, broadcast: broadcastId, state, code } = query;
    const filter = filterOf({ state, code, since: parseInstant(query.since), broadcastId });
    if (filter === undefined) return invalidField('the query', 'selects no sends; add `state` or `broadcast`');
    const fault = unlistable(filter, '`broadcast`');
    if (fault !== undefined) return fault;
    const { counts, next } = await lists.count(filter, parseCursor(cursor, sendPosition));
    return ok({ counts, cursor: next && writeCursor(next) });
  },
});

const list = async (
  lists: Pick<SendLists, 'list'>,
  filter: SendFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): Promise<Answer> => {
  const { sends, next } = await lists.list(filter, { limit, after: parseCursor(cursor, sendPosition) });
  return ok({ sends: sends.map(viewSend), cursor: next && writeCursor(next) });
};

interface Selection {
  readonly state?: SendState;
  readonly broadcastId?: string;
  readonly code?: string;
  readonly since?: Instant;
}

const filterOf = ({ state, broadcastId, ...rest }: Selection): SendCountFilter | undefined => {
  if (broadcastId !== undefined) return { broadcastId, state, ...rest };
  return state && { state, ...rest };
};

/**
 * Explains why a list is not kept, or returns undefined if it is.
 *
 * @param others the fields that select such sends
 */
const unlistable = ({ state, broadcastId }: Selection, others: string): Answer | undefined => {
  if (state === undefined) return undefined;
  if (broadcastId === undefined && !isListed(state)) {
    return invalidField(
      'state',
      `is ${state}, and sends in this state are listed only with ${others}; add that, or use one of ` +
        LISTED_STATES.join(', '),
    );
  }
  return broadcastId === undefined || isInBroadcast(state)
    ? undefined
    : invalidField(
        'state',
        `is ${state}, which lasts only seconds, so \`broadcast\` does not list it; use another state or none`,
      );
};
