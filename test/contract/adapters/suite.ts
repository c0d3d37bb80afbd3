/** The tests of what the repositories' ports promise. They run on every implementation of the table. */
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
  'shard-list',
  'turns',
].map((name) => `test/unit/lambdas/adapters/dynamodb/${name}.test.ts`);

/** The tests that need DynamoDB itself, and those of use cases that search and erase stored data. */
const TABLE_TESTS: readonly string[] = [
  'test/unit/lambdas/adapters/dynamodb/table.test.ts',
  'test/simulation/world/table.contract.test.ts',
  ...['audit', 'channels', 'dead-letters', 'erased-items', 'erasures'].map(
    (name) => `test/unit/lambdas/manage/${name}.test.ts`,
  ),
];

/** The tests that also run on an independent DynamoDB. */
export const DYNAMODB_SUITE: readonly string[] = [...REPOSITORY_CONTRACT, ...TABLE_TESTS];

/** The tests that also run on an independent SQS. */
export const SQS_SUITE: readonly string[] = [
  'test/unit/lambdas/adapters/sqs.test.ts',
  'test/unit/lambdas/adapters/sqs-dead-letters.test.ts',
  'test/simulation/world/queues.contract.test.ts',
];
