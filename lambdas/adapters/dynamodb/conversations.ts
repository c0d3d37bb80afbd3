import { compare } from '../../domain/compare.ts';
import { ANY_CHANNEL, type DataSubject } from '../../domain/contact.ts';
import { InvalidPositionError } from '../../domain/errors.ts';
import { describeMessage, withStatuses } from '../../domain/message.ts';
import * as z from '../../domain/schema.ts';
import type { ConversationPage, ConversationPart, ListPosition } from '../../ports.ts';
import { contactQuery, contactSort } from '../../table/indexes.ts';
import type { Item } from '../../table/item.ts';
import { echoKey, idOf, messageKey, parseContactName, subjectName } from '../../table/keys.ts';
import { parseMessage } from '../../table/message-item.ts';
import { canBeEchoOf } from './message-user.ts';
import { readWithinBudget } from './page-budget.ts';
import type { ConversationTable } from './table.ts';

/** Implements `readConversation` of the port `MessageRepository`. A position has an entry for each part, by its name. */
export const readConversation = async (
  table: ConversationTable,
  parts: readonly ConversationPart[],
  { limit, after }: { readonly limit: number; readonly after?: ListPosition | undefined },
): Promise<ConversationPage> => {
  const positions = parsePositions(parts, after);
  const pages = await Promise.all(parts.map((part) => readEntries(table, part, limit, positions)));
  // The sort is stable, so that messages of the same time stay in the order of their index.
  const entries = pages.flatMap(({ items }) => items).toSorted((one, other) => compare(sortOf(other), sortOf(one)));
  const { values: messages, used } = await readWithinBudget(entries.slice(0, limit), (chunk) =>
    readMessages(table, parts, chunk),
  );
  if (used === entries.length && pages.every((page) => page.next === undefined)) return { messages };
  const next = Object.fromEntries(
    [...positions, ...entries.slice(0, used).map((entry) => [String(entry.contact), positionOf(entry)] as const)].map(
      ([name, position]) => [name, JSON.stringify(position)],
    ),
  );
  return { messages, next };
};

/** The position in one part. */
const positionSchema = z.object({ pk: z.string(), sk: z.string(), contactSort: z.string() });
type Position = z.output<typeof positionSchema>;

const positionOf = (entry: Item): Position => z.parse(positionSchema, entry);

const sortOf = ({ contactSort: sort }: Item): string => String(sort);

/** @throws InvalidPositionError for a position of another conversation */
const parsePositions = (
  parts: readonly ConversationPart[],
  after: ListPosition | undefined,
): ReadonlyMap<string, Position> => {
  const names = new Set(parts.map(({ subject }) => subjectName(subject)));
  const positions = Object.entries(after ?? {}).map(([name, text]): [string, Position] => {
    const position = z.safeParse(positionSchema, z.parseJson(text)).data;
    if (!names.has(name) || position === undefined) {
      throw new InvalidPositionError('The conversation has no such position.');
    }
    return [name, position];
  });
  if (after !== undefined && positions.length === 0) throw new InvalidPositionError('The position is empty.');
  return new Map(positions);
};

const readEntries = (
  table: ConversationTable,
  { subject, after }: ConversationPart,
  limit: number,
  positions: ReadonlyMap<string, Position>,
) => {
  const name = subjectName(subject);
  const position = positions.get(name);
  return table.query({
    ...contactQuery(name, contactSort('MESSAGE', after === undefined ? '' : `${after}!`), contactSort('MESSAGE', '~')),
    ScanIndexForward: false,
    Limit: limit,
    ...(position && { after: { ...position, contact: name } }),
  });
};

const readMessages = async (table: ConversationTable, parts: readonly ConversationPart[], entries: readonly Item[]) => {
  // In pairs: an echo is shown with the statuses of its message.
  const pairs = await table.getAll(
    entries.flatMap(({ pk, sk }) => [messageKey(idOf(pk)), sk === 'ECHO' ? echoKey(idOf(pk)) : messageKey(idOf(pk))]),
  );
  const addresses = new Map(parts.map(({ subject, address }) => [subjectName(subject), address]));
  return entries.map(({ pk, sk, contact }, index) => {
    const [message, listed] = pairs.slice(2 * index, 2 * index + 2);
    // The index may still list an item that was deleted or erased a moment ago.
    if (listed?.direction === undefined) return undefined;
    const item = parseMessage(listed);
    const address = addresses.get(String(contact));
    if (sk !== 'ECHO') return describeMessage(idOf(pk), item, address);
    if (message !== undefined && parts.some(({ subject }) => isListedItself(message, subject))) return undefined;
    const isOwn = message !== undefined && canBeEchoOf(message, listed);
    return describeMessage(idOf(pk), isOwn ? withStatuses(item, parseMessage(message)) : item, address);
  });
};

/**
 * Whether a message is itself listed, so that its echo in a conversation would repeat it. An item that has only statuses
 * is not listed.
 */
const isListedItself = (message: Item, subject: DataSubject): boolean => {
  if (message.direction === undefined) return false;
  if (message.contact === subjectName(subject)) return true;
  const own = parseContactName(message.contact);
  // An echo that names no business number repeats a message of any number.
  return (
    own !== undefined &&
    'key' in subject &&
    own.platform === subject.platform &&
    own.key === subject.key &&
    subject.channel === ANY_CHANNEL
  );
};
