import type { Difference } from '../compare.ts';

/**
 * All differences from what AWS documents: those of the local run's DynamoDB, which is dynoxide, and those of DynamoDB
 * Local, which has none in these cases.
 */
export const DYNAMODB_DIFFERENCES: readonly Difference[] = [
  {
    reference: 'dynoxide',
    case: 'updates: ALL_OLD returns nothing of an item that the update creates',
    observed: { pk: 'a', sk: 'a' },
    reason: "It returns the item's key. Parley's updates never request old attributes.",
  },
  {
    reference: 'dynoxide',
    case: 'limits: an item has at most 400 KB, including the names of its attributes',
    observed: ['ValidationException, which names the size', 'ValidationException, which names the size'],
    reason: 'The limit of an update is 16 bytes below 400 KB.',
  },
  {
    reference: 'dynoxide',
    case: 'limits: the keys of an index have the same limits',
    observed: ['accepted', 'accepted', 'accepted'],
    reason: 'It does not limit the keys of an index. Parley limits the ids that are in them.',
  },
  {
    reference: 'dynoxide',
    case: 'streams: a write that changes nothing has no record',
    observed: ['INSERT', 'MODIFY', 'MODIFY', 'MODIFY'],
    reason: 'It records every write. The local run does not pass these records to functions.',
  },
];
