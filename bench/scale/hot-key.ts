/** Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html */
export const PARTITION_WRITE_UNITS = 1_000;

/** Returns the share of the draws that are the most frequent one. */
export const hottestShare = (draws: Iterable<number>): number => {
  const counts = new Map<number, number>();
  let total = 0;
  for (const draw of draws) {
    counts.set(draw, (counts.get(draw) ?? 0) + 1);
    total += 1;
  }
  let hottest = 0;
  for (const count of counts.values()) hottest = Math.max(hottest, count);
  return hottest / total;
};

/**
 * Returns the rate of events at which a key reaches DynamoDB's limit of a partition.
 *
 * @param share The share of the events that write the key.
 * @param unitsPerWrite The request units of such a write.
 */
export const limitingRate = (share: number, unitsPerWrite: number): number =>
  PARTITION_WRITE_UNITS / (share * unitsPerWrite);
