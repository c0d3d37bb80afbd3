import { SqsError } from './sqs-error.ts';

/** Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const MAX_ENTRIES = 10;
const ENTRY_ID = /^[\w-]{1,80}$/;

/**
 * Runs each entry of a batch. An entry that fails does not affect the others.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
 *
 * @throws SqsError if SQS would refuse the whole batch.
 */
export const runBatch = <Entry extends { readonly Id: string }>(
  entries: readonly Entry[],
  run: (entry: Entry) => object,
): object => {
  checkEntries(entries);
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const entry of entries) {
    try {
      Successful.push({ Id: entry.Id, ...run(entry) });
    } catch (error) {
      if (!(error instanceof SqsError)) throw error;
      Failed.push({ Id: entry.Id, Code: error.code, Message: error.message, SenderFault: true });
    }
  }
  return { Successful, Failed };
};

const checkEntries = (entries: readonly { readonly Id: string }[]): void => {
  const ids = entries.map(({ Id }) => Id);
  if (ids.length === 0) throw new SqsError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  if (ids.length > MAX_ENTRIES) {
    const sentence = `Maximum number of entries per request are ${MAX_ENTRIES}. You have sent ${ids.length}.`;
    throw new SqsError('TooManyEntriesInBatchRequest', sentence);
  }
  if (!ids.every((id) => ENTRY_ID.test(id))) {
    throw new SqsError(
      'InvalidBatchEntryId',
      'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
    );
  }
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw new SqsError('BatchEntryIdsNotDistinct', `Id ${repeated} repeated.`);
};
