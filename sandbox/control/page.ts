import type { Context } from 'hono';

/** A part of a list: at most `limit` entries, those before the one with the id `before`. */
export type Page = { before?: string; limit: number };

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** The page that a request asks for by `?before=` and `?limit=`. */
export const readPage = (context: Context): Page => ({
  before: context.req.query('before'),
  limit: Math.min(readLimit(context) ?? DEFAULT_LIMIT, MAX_LIMIT),
});

/** The request's `?limit=`; undefined when there is none or it is no number. */
export const readLimit = (context: Context): number | undefined => {
  const asked = context.req.query('limit') ?? '';
  return /^[1-9]\d{0,8}$/.test(asked) ? Number(asked) : undefined;
};

/**
 * The last entries of an oldest-first list that come before `before`, and what to ask for next: the `before` of the
 * page ahead of it, null when there is none. An entry that is forgotten has nothing before it.
 */
export const pageBefore = <Item extends { readonly id: string }>(
  items: readonly Item[],
  { before, limit }: Page,
): { items: readonly Item[]; before: string | null } => {
  const end = before === undefined ? items.length : items.findLastIndex(({ id }) => id === before);
  const start = Math.max(0, end - limit);
  const shown = end <= 0 ? [] : items.slice(start, end);
  return { items: shown, before: start > 0 ? (shown[0]?.id ?? null) : null };
};
