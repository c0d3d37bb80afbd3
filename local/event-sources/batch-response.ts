import { isObject, parseJson } from '../base/json.ts';
import type { InvocationResult } from '../functions/invocation.ts';

/**
 * Returns the ids of the items in a batch that failed.
 *
 * All items fail if the function fails, or if its response contains an id that is not in the batch. An empty response
 * means that all items succeeded, and so does an empty list, even as the response itself.
 *
 * @param itemIds The ids of the batch: message ids, or sequence numbers of a stream.
 * @param reportsBatchItemFailures Whether the mapping declares `ReportBatchItemFailures`; otherwise the response is ignored.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html, "Implementing partial batch responses"
 */
export const failedItems = (
  result: InvocationResult,
  itemIds: readonly string[],
  reportsBatchItemFailures: boolean,
): ReadonlySet<string> => {
  const all = new Set(itemIds);
  const none = new Set<string>();
  if (!result.ok) return all;
  if (!reportsBatchItemFailures) return none;
  const response = parseJson(result.payload);
  const isEmptyList = Array.isArray(response) && response.length === 0;
  if (response === null || isEmptyList) return none;
  if (!isObject(response)) return all;
  const failures = response.batchItemFailures;
  if (failures === undefined || failures === null) return none;
  if (!Array.isArray(failures)) return all;
  const named = failures.map((failure: unknown) => (isObject(failure) ? failure.itemIdentifier : undefined));
  const failed = named.filter((id): id is string => typeof id === 'string' && all.has(id));
  return failed.length === named.length ? new Set(failed) : all;
};
