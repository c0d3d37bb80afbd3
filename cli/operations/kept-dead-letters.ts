import type { z } from 'zod';
import { type DeadLetterQueueName, KEPT_QUEUES } from '../../lambdas/domain/dead-letter.ts';
import { deadLetterResponse, deadLettersResponse } from '../../lambdas/manage/api/dead-letters.ts';
import { type DeadLetterFilter, matchesFilter } from './dead-letter-queue.ts';
import { type ManagementClient, ManagementError } from './management-client.ts';
import { resourcePath } from './resource-path.ts';

/** A dead letter that Parley moved from its queue to the table, without its body. */
export interface KeptDeadLetter extends Omit<z.output<typeof deadLetterResponse>, 'id' | 'body'> {
  readonly messageId: string;
}

const MAX_PAGE_SIZE = 500;

/**
 * Returns a queue's kept dead letters that match the filter, oldest first. Reads a page when the previous one is used
 * up, so a caller that stops early leaves the rest unread. A page has no more dead letters than `limit`, if there is no
 * filter.
 *
 * @throws the reason of `stop` once it is aborted
 */
export async function* keptDeadLetters(
  api: ManagementClient,
  queue: DeadLetterQueueName,
  filter: DeadLetterFilter,
  { stop, limit = MAX_PAGE_SIZE }: { readonly stop?: AbortSignal | undefined; readonly limit?: number } = {},
): AsyncGenerator<KeptDeadLetter> {
  const name = KEPT_QUEUES.find((kept) => kept === queue);
  if (name === undefined) return;
  // A filter by reason can skip most of a page.
  const pageSize = Math.min(MAX_PAGE_SIZE, filter.reason === undefined ? limit : MAX_PAGE_SIZE);
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({
      queue: name,
      limit: String(pageSize),
      ...(cursor !== undefined && { cursor }),
    });
    const read = deadLettersResponse.parse(await api('GET', `/v1/dead-letters?${query}`));
    for (const { id, ...rest } of read.deadLetters) {
      stop?.throwIfAborted();
      const deadLetter = { messageId: id, ...rest };
      if (matchesFilter(filter, deadLetter)) yield deadLetter;
    }
    cursor = read.cursor;
  } while (cursor !== undefined);
}

/** Returns a queue's kept dead letter with its body, or undefined if there is none with this ID. */
export const readKept = async (
  api: ManagementClient,
  queue: DeadLetterQueueName,
  messageId: string,
): Promise<(KeptDeadLetter & { readonly body: string }) | undefined> => {
  try {
    const { id, ...rest } = deadLetterResponse.parse(await api('GET', pathOf(messageId)));
    return rest.queue === queue ? { messageId: id, ...rest } : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** Deletes a kept dead letter. Returns whether there was one. */
export const deleteKept = async (api: ManagementClient, messageId: string): Promise<boolean> => {
  try {
    await api('DELETE', pathOf(messageId));
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
};

const pathOf = (messageId: string): string => resourcePath('dead-letters', 'deadLetterId', messageId);

const isNotFound = (error: unknown): boolean =>
  error instanceof ManagementError && error.code === 'DEAD_LETTER_NOT_FOUND';
