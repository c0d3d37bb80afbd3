import { join, relative } from 'node:path';
import type { FidelityPart, PartResult } from '../fidelity-part.ts';
import { type ReferenceName, startInstalled } from '../references/start-reference.ts';
import { runTests, type TestReport } from '../run-tests.ts';
import { ADAPTER_DIFFERENCES, type AdapterDifference } from './differences.ts';
import { QUEUES_URL, TABLES_URL } from './second-implementations.ts';
import { DYNAMODB_SUITE, SQS_SUITE } from './suite.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Compares the report of the adapters' tests with the listed differences of an implementation. */
export const judge = (
  { testResults }: TestReport,
  reference: ReferenceName,
  differences: readonly AdapterDifference[] = ADAPTER_DIFFERENCES,
): PartResult => {
  const listed = differences.filter((difference) => difference.reference === reference);
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === 'failed');
  const isListed = ({ fullName, failureMessages }: (typeof tests)[number]): boolean =>
    listed.some(({ test, observed }) => test === fullName && failureMessages.join('\n').includes(observed));
  const known = failed.filter(isListed);
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    differences: known.length,
    failures: [
      ...testResults.flatMap(({ name, message, assertionResults }) =>
        assertionResults.length === 0 ? [`${relative(ROOT, name)} did not run\n  ${message}`] : [],
      ),
      ...failed
        .filter((test) => !isListed(test))
        .map(({ fullName, failureMessages }) => `${fullName}\n  not listed\n  ${failureMessages.join('\n  ')}`),
      ...listed
        .filter(({ test }) => !known.some(({ fullName }) => fullName === test))
        .map(({ test }) => `${test}\n  no longer as listed`),
    ],
    notes: listed.map(({ test, reason, source }) => `${test}\n  listed: ${reason}\n  ${source}`),
  };
};

const adapterPart = (
  name: string,
  reference: ReferenceName,
  files: readonly string[],
  urlVariable: string,
): FidelityPart => ({
  name,
  description: `the tests of the adapters, on ${reference}`,
  async run(cacheFolder) {
    await using running = await startInstalled(reference, cacheFolder);
    return judge(await runTests('fidelity', files, { [urlVariable]: running.url }), reference);
  },
});

export const adapterParts: readonly FidelityPart[] = [
  adapterPart('adapters-dynamodb-local', 'DynamoDB Local', DYNAMODB_SUITE, TABLES_URL),
  adapterPart('adapters-elasticmq', 'ElasticMQ', SQS_SUITE, QUEUES_URL),
  adapterPart('adapters-moto', 'moto', SQS_SUITE, QUEUES_URL),
];
