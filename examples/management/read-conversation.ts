/**
 * Prints a conversation, newest message first, page by page.
 *
 *   node examples/management/read-conversation.ts +5491150000001
 */
import { z } from 'zod';
import { callManagementApi } from './call-management-api.ts';

/** The fields that this program uses. docs/management-api.json has the schema of every response. */
const conversationPage = z.object({
  messages: z.array(
    z.object({
      direction: z.string().optional(),
      createdAt: z.string().optional(),
      text: z.string().optional(),
    }),
  ),
  // Absent on the last page.
  cursor: z.string().optional(),
});

const [platformContactId] = process.argv.slice(2);
if (!platformContactId) throw new Error('Usage: node read-conversation.ts CONTACT');

const path = `/v1/conversations/${encodeURIComponent(platformContactId)}`;
let cursor: string | undefined;
do {
  const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) });
  const page = conversationPage.parse(await callManagementApi('GET', `${path}?${query}`));
  for (const { direction, createdAt, text = '(no text)' } of page.messages) console.log(createdAt, direction, text);
  cursor = page.cursor;
} while (cursor);
