/** The tests that state what the repositories promise by their ports. They run on every implementation of the table. */
export const REPOSITORY_CONTRACT: readonly string[] = [
  'as-received.property',
  'audit',
  'circuit',
  'contacts',
  'conversations',
  'echoes',
  'erasures',
  'kept-dead-letters',
  'messages',
  'messages.property',
  'send-histories.property',
  'send-transitions',
  'sends',
  'sends.property',
  'shard-list',
].map((name) => `test/unit/lambdas/adapters/dynamodb/${name}.test.ts`);
