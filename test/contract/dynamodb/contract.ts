import type { DynamoDbCase } from './dynamodb-case.ts';
import { LIMIT_CASES } from './limit-cases.ts';
import { READ_CASES } from './read-cases.ts';
import { STREAM_CASES } from './stream-cases.ts';
import { WRITE_CASES } from './write-cases.ts';

/** The behavior of DynamoDB that Parley relies on. */
export const DYNAMODB_CONTRACT: readonly DynamoDbCase[] = [
  ...WRITE_CASES,
  ...LIMIT_CASES,
  ...READ_CASES,
  ...STREAM_CASES,
];
