import type { InvocationResult } from '../lambda/function-declaration.ts';
import { isObject } from '../template/intrinsics.ts';

/**
 * The ids of a batch's messages that stay in the queue.
 *
 * The whole batch fails when the function fails, or when its answer names no message of the batch where it should; an
 * empty answer or an empty list is a complete success.
 *
 * @param messageIds The ids of the batch.
 * @param reportsBatchItemFailures Whether the mapping declares `ReportBatchItemFailures`; else the answer does not matter.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html, "Implementing partial batch responses"
 */
export const failedMessages = (
  result: InvocationResult,
  messageIds: readonly string[],
  reportsBatchItemFailures: boolean,
): ReadonlySet<string> => {
  const all = new Set(messageIds);
  const none = new Set<string>();
  if (!result.ok) return all;
  if (!reportsBatchItemFailures) return none;
  const answer = parse(result.payload);
  if (answer === null) return none;
  if (!isObject(answer)) return all;
  const failures = answer.batchItemFailures;
  if (failures === undefined || failures === null) return none;
  if (!Array.isArray(failures)) return all;
  const named = failures.map((failure: unknown) => (isObject(failure) ? failure.itemIdentifier : undefined));
  const failed = named.filter((id): id is string => typeof id === 'string' && all.has(id));
  return failed.length === named.length ? new Set(failed) : all;
};

const parse = (payload: string): unknown => {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
};
