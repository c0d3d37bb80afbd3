import { ANY_CHANNEL, type DataSubject } from '../../domain/contact.ts';
import { describeMessage, withStatuses } from '../../domain/message.ts';
import type { ConversationPage, ListPosition, UserPart } from '../../ports.ts';
import type { Item } from '../../table/item.ts';
import { echoKey, idOf, messageKey, parseContactName, subjectName } from '../../table/keys.ts';
import { parseMessage } from '../../table/message-item.ts';
import { canBeEchoOf } from './message-user.ts';
import { isOfPart } from './named-customers.ts';
import { readWithinBudget } from './page-budget.ts';
import { listSubjects } from './subject-list.ts';
import type { ConversationTable } from './table.ts';

/** Implements `readConversation` of the port `MessageRepository`. */
export const readConversation = async (
  table: ConversationTable,
  parts: readonly UserPart[],
  page: { readonly limit: number; readonly after?: ListPosition | undefined },
): Promise<ConversationPage> => {
  const { entries, nextAfter } = await listSubjects(table, parts, { kind: 'MESSAGE', ...page });
  const { values: messages, used } = await readWithinBudget(entries, (chunk) => readMessages(table, parts, chunk));
  const next = nextAfter(used);
  return { messages, ...(next && { next }) };
};

const readMessages = async (table: ConversationTable, parts: readonly UserPart[], entries: readonly Item[]) => {
  // In pairs: an echo is shown with the statuses of its message.
  const pairs = await table.getAll(
    entries.flatMap(({ pk, sk }) => [messageKey(idOf(pk)), sk === 'ECHO' ? echoKey(idOf(pk)) : messageKey(idOf(pk))]),
  );
  const addresses = new Map(parts.map(({ subject, address }) => [subjectName(subject), address]));
  const describe = async ({ pk, sk, contact }: Item, index: number) => {
    const [message, listed] = pairs.slice(2 * index, 2 * index + 2);
    // The index may still list an item that was deleted or erased a moment ago.
    if (listed?.direction === undefined || !isOfPart(listed, parts)) return undefined;
    const item = parseMessage(listed);
    const address = addresses.get(String(contact));
    if (sk !== 'ECHO') return describeMessage(idOf(pk), item, address);
    if (message !== undefined && parts.some(({ subject }) => isListedItself(message, subject))) return undefined;
    const isOwn = message !== undefined && (await canBeEchoOf(table.get, message, listed));
    return describeMessage(idOf(pk), isOwn ? withStatuses(item, parseMessage(message)) : item, address);
  };
  return Promise.all(entries.map(describe));
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
