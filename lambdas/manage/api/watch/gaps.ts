import * as z from '../../../domain/schema.ts';
import type { ChannelRepository, GapRepository } from '../../../ports.ts';
import { reportsEchoes } from '../../watch/watch-arrivals.ts';
import { ok, problemResponse } from '../answer.ts';
import { cursorField, parseCursor, writeCursor } from '../cursor.ts';
import { defineRoute, noBody } from '../define-route.ts';
import { pageSize } from '../fields.ts';

export interface GapPorts {
  readonly gaps: Pick<GapRepository, 'listMissing'>;
  readonly channels: Pick<ChannelRepository, 'list'>;
  /** Whether the stage watches what arrives. */
  readonly watches: boolean;
}

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 500;

export const gapsResponse = z.object({
  /** Whether the stage sets `webhook.watch`. If not, gaps are not counted. */
  watches: z.boolean(),
  /** Whether the chat service has reported a message of a bot or an operator. If not, gaps are not counted. */
  echoes: z.boolean(),
  gaps: z.array(
    z.object({
      messageId: z.string(),
      /** The time of the first status that was stored. */
      firstStatusAt: z.string(),
      /** The user's key, if a status names an address: the digits of a phone number, or else the address. */
      contact: z.optional(z.string()),
    }),
  ),
  /** Pass it to get the next page. Absent on the last page. */
  cursor: z.optional(z.string()),
});

/** Values without a space are times and IDs. A position's sort key and ID are separated by one. */
const gapPosition = z.record(z.string(), z.string().check(z.maxLength(4096)));

export const listGaps = defineRoute({
  route: 'GET /v1/gaps',
  summary: 'List the gaps, oldest first',
  description:
    'A gap is a message that has not arrived 15 minutes after its first status. It is listed until it arrives. A page can have fewer gaps than its limit, ' +
    'even none: the last page is the one without a cursor. A stage counts gaps only if it sets webhook.watch.',
  query: z.strictObject({
    /** Gaps per page, at most. @default 100 */
    limit: z.optional(pageSize(MAX_PAGE_SIZE)),
    cursor: z.optional(cursorField),
  }),
  body: noBody,
  responses: { 200: gapsResponse, 400: problemResponse },
  async handle({ gaps, channels, watches }: GapPorts, { query: { cursor, limit = DEFAULT_PAGE_SIZE } }) {
    const after = parseCursor(cursor, gapPosition);
    const [page, registered] = await Promise.all([gaps.listMissing({ limit, after }), channels.list()]);
    return ok({
      watches,
      echoes: reportsEchoes(registered),
      gaps: page.gaps.map(({ messageId, firstStatusAt, contact }) => ({
        messageId,
        firstStatusAt,
        ...(contact && { contact: contact.key }),
      })),
      cursor: page.next && writeCursor(page.next),
    });
  },
});
