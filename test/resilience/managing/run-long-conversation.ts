import { parseArgs } from 'node:util';
import { startEmulatedTables } from '../../support/emulated-table.ts';
import { readLongConversation } from './long-conversation.ts';

/** `npm run paging`: reads a conversation of 100,000 messages behind 10,000 refused sends, page by page. */
const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '100000' },
    'refused-sends': { type: 'string', default: '10000' },
    limit: { type: 'string', default: '500' },
  },
});

const tables = await startEmulatedTables();
const conversation = { messages: Number(values.messages), refusedSends: Number(values['refused-sends']) };
console.log(`Writing ${conversation.messages} messages and ${conversation.refusedSends} refused sends …`);
const result = await readLongConversation(tables, conversation, Number(values.limit));
await tables.close();
console.log(result);
const isGood =
  result.seen === conversation.messages &&
  result.repeated === 0 &&
  result.maxBytes < 1_000_000 &&
  result.maxCalls <= 12;
process.exitCode = isGood ? 0 : 1;
