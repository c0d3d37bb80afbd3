import type { FuzzResult } from './fuzz.ts';

/** Whether no post made the webhook fail, and each was stored, kept aside, or refused as too large. */
export const fuzzHolds = ({ posts, statuses, said, inTable, inQuarantine, unhandled }: FuzzResult): boolean => {
  const { '200': acknowledged = 0, '413': tooLarge = 0 } = statuses;
  return (
    acknowledged + tooLarge === posts &&
    said.stored + said.quarantined === acknowledged &&
    inTable === said.stored &&
    inQuarantine === said.quarantined &&
    said.other === 0 &&
    unhandled === 0
  );
};
