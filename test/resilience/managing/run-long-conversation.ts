import { startEmulatedTables } from '../../support/emulated-table.ts';
import { numbersOrExit } from '../../support/read-arguments.ts';
import { readLongConversation } from './long-conversation.ts';

/** `npm run paging`: reads a conversation of 100,000 messages behind 10,000 refused sends, page by page. */
const numbers = numbersOrExit({ messages: 100_000, 'refused-sends': 10_000, limit: 500 });

const tables = await startEmulatedTables();
const conversation = { messages: numbers.messages, refusedSends: numbers['refused-sends'] };
console.log(`Writing ${conversation.messages} messages and ${conversation.refusedSends} refused sends …`);
const result = await readLongConversation(tables, conversation, numbers.limit);
await tables.close();
console.log(result);
const isGood =
  result.seen === conversation.messages &&
  result.repeated === 0 &&
  result.maxBytes < 1_000_000 &&
  result.maxCalls <= 12;
process.exitCode = isGood ? 0 : 1;
