import * as z from '../domain/schema.ts';
import type { SendDesk } from '../ports.ts';
import { type Answer, ok } from './answer.ts';
import { INVALID_CURSOR, readCursor, writeCursor } from './cursor.ts';
import { sendView } from './get-send.ts';
import { type ManagementCall, readQuery } from './input.ts';
import { uncertainQuery } from './requests.ts';

const DEFAULT_LIMIT = 100;

const position = z.strictObject({ uncertainAt: z.string(), requestId: z.string() });

/** The sends whose outcome nobody knows, oldest first. */
export const createListUncertain =
  ({ sends }: { readonly sends: SendDesk }) =>
  async ({ query: raw }: ManagementCall): Promise<Answer> => {
    const query = readQuery(uncertainQuery, raw);
    if (query.kind === 'faulty') return query.answer;
    const { cursor, limit = DEFAULT_LIMIT } = query.value;
    const after = cursor === undefined ? undefined : readCursor(position, cursor);
    if (cursor !== undefined && after === undefined) return INVALID_CURSOR;
    const page = await sends.listUncertain({ limit, after });
    const last = page.length < limit ? undefined : page.at(-1);
    return ok({
      sends: page.map(sendView),
      cursor: last?.uncertainAt && writeCursor({ uncertainAt: last.uncertainAt, requestId: last.requestId }),
    });
  };
