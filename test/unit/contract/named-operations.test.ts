import { expect, it } from 'vitest';
import { namedOperations } from '../../contract/requests/named-operations.ts';

const EXPECTED = {
  UpdateItem: 'own',
  GetRecords: 'own',
  DescribeAlarms: 'own',
  GetCallerIdentity: 'own',
  GetAccountSettings: 'own',
  GetStage: 'own',
  CreateSchedule: 'SDK',
  ListStackResources: 'SDK',
} as const;

it('finds the operations that the code calls, with their client, and no others', () => {
  const found = namedOperations((name) => name in EXPECTED || ['CreateTable', 'DeleteTable'].includes(name));

  expect(Object.fromEntries(found.map(({ operation, sender }) => [operation, sender]))).toEqual(EXPECTED);
});
