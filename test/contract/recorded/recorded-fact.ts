import type { ContractCase } from '../contract-case.ts';

/** Something that AWS did when a test of LocalStack was recorded on it. */
export type RecordedFact = ContractCase<void>;

/** The version of LocalStack whose recordings the facts cite. Its tests run on AWS, and keep what AWS answered. */
const COMMIT = '8b9a79f05846835cf4dff63ab7eefdde9df83783';

/**
 * Returns the address of a recording.
 *
 * @param path of the recording among the tests of AWS services
 * @param test the name of the test in it
 */
export const recording = (path: string, test: string): string =>
  `https://github.com/localstack/localstack/blob/${COMMIT}/tests/aws/services/${path}.snapshot.json#${test}`;
