import { expect, it } from 'vitest';
import { startEmulatedTables } from '../../support/emulated-table.ts';
import { readLongConversation } from './long-conversation.ts';

it('a long conversation behind refused sends has pages of less than 1 MB with a bounded number of calls each', async () => {
  const tables = await startEmulatedTables();
  try {
    const result = await readLongConversation(tables, { messages: 3_000, refusedSends: 2_000 }, 500);

    expect(result).toMatchObject({ seen: 3_000, repeated: 0 });
    expect(result.maxBytes).toBeLessThan(1_000_000);
    expect(result.maxCalls).toBeLessThanOrEqual(12);
    // Without long messages, it would have six, and one that is empty.
    expect(result.pages).toBeGreaterThan(9);
    expect(result.pages).toBeLessThan(20);
  } finally {
    await tables.close();
  }
});
