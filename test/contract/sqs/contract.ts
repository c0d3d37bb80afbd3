import { BATCH_CASES } from './batch-cases.ts';
import type { SqsCase } from './contract-case.ts';
import { createContractQueues, type SqsImplementation } from './contract-queue.ts';
import { DEAD_LETTER_CASES } from './dead-letter-cases.ts';
import { DEDUPLICATION_CASES } from './deduplication-cases.ts';
import { FIFO_CASES } from './fifo-cases.ts';
import { MESSAGE_CASES } from './message-cases.ts';
import { MOVE_TASK_CASES } from './move-task-cases.ts';
import { QUEUE_CASES } from './queue-cases.ts';
import { VISIBILITY_CASES } from './visibility-cases.ts';

/** What SQS does, as far as Parley relies on it. */
export const SQS_CONTRACT: readonly SqsCase[] = [
  ...FIFO_CASES,
  ...DEDUPLICATION_CASES,
  ...DEAD_LETTER_CASES,
  ...MOVE_TASK_CASES,
  ...VISIBILITY_CASES,
  ...MESSAGE_CASES,
  ...BATCH_CASES,
  ...QUEUE_CASES,
];

/** Runs a case against an implementation. Returns what it observed, or the error that it failed with. */
export const observe = async (one: SqsCase, implementation: SqsImplementation): Promise<unknown> => {
  const queue = createContractQueues(implementation, one.name);
  try {
    return await one.observe({ ...implementation, queue });
  } catch (error) {
    return { failed: error instanceof Error ? error.name : String(error) };
  }
};
