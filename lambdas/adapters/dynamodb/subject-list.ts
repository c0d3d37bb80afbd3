import { compare } from '../../domain/compare.ts';
import { InvalidPositionError } from '../../domain/errors.ts';
import * as z from '../../domain/schema.ts';
import type { ListPosition, UserPart } from '../../ports.ts';
import { type ContactSortKind, contactQuery, contactSort } from '../../table/indexes.ts';
import type { Item } from '../../table/item.ts';
import { subjectName } from '../../table/keys.ts';
import { HIGHEST } from './shard-list.ts';
import type { ConversationTable } from './table.ts';

export interface SubjectList {
  readonly kind: ContactSortKind;
  /** The earliest and the latest time to list. @default all */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit: number;
  readonly after?: ListPosition | undefined;
}

/**
 * Lists what is stored of one kind under several addresses or customers, in one order, newest first. A position has an
 * entry for each of them, by its name.
 *
 * @throws InvalidPositionError for a position of another list
 */
export const listSubjects = async (
  table: ConversationTable,
  parts: readonly UserPart[],
  options: SubjectList,
): Promise<{
  /** The keys of items, in the index `byContact`. */
  readonly entries: readonly Item[];
  /** Returns where the next page starts if this one ends after `count` entries. */
  readonly nextAfter: (count: number) => ListPosition | undefined;
}> => {
  const positions = parsePositions(parts, options.after);
  const pages = await Promise.all(parts.map((part) => listPart(table, part, positions, options)));
  // The sort is stable, so that entries of the same time stay in the order of their index.
  const found = pages.flatMap(({ items }) => items).toSorted((one, other) => compare(sortOf(other), sortOf(one)));
  const nextAfter = (count: number): ListPosition | undefined => {
    if (count === found.length && pages.every(({ next }) => next === undefined)) return undefined;
    const used = found.slice(0, count).map((entry) => [String(entry.contact), z.parse(position, entry)] as const);
    const next = [...positions, ...used].map(([name, reached]) => [name, JSON.stringify(reached)] as const);
    return Object.fromEntries(next);
  };
  return { entries: found.slice(0, options.limit), nextAfter };
};

/** The position in one part. */
const position = z.object({ pk: z.string(), sk: z.string(), contactSort: z.string() });
type Positions = ReadonlyMap<string, z.output<typeof position>>;

const sortOf = ({ contactSort: sort }: Item): string => String(sort);

const parsePositions = (parts: readonly UserPart[], after: ListPosition | undefined): Positions => {
  const names = new Set(parts.map(({ subject }) => subjectName(subject)));
  const positions = Object.entries(after ?? {}).map(([name, text]) => {
    const reached = z.safeParse(position, z.parseJson(text)).data;
    if (!names.has(name) || reached === undefined) throw new InvalidPositionError('The list has no such position.');
    return [name, reached] as const;
  });
  if (after !== undefined && positions.length === 0) throw new InvalidPositionError('The position is empty.');
  return new Map(positions);
};

const listPart = async (
  table: ConversationTable,
  { subject, earlier }: UserPart,
  positions: Positions,
  { kind, since = '', until = HIGHEST, limit }: SubjectList,
): Promise<{ readonly items: readonly Item[]; readonly next?: Item | undefined }> => {
  const name = subjectName(subject);
  const after = earlier?.until;
  const from = contactSort(kind, after !== undefined && after >= since ? `${after}!` : since);
  const to = contactSort(kind, until);
  const reached = positions.get(name);
  // DynamoDB refuses a position outside of what is listed.
  if (reached !== undefined && reached.contactSort < from) return { items: [] };
  return table.query({
    ...contactQuery(name, from, to),
    ScanIndexForward: false,
    Limit: limit,
    ...(reached && reached.contactSort <= to && { after: { ...reached, contact: name } }),
  });
};
