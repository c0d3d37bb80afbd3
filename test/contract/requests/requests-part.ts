import { globSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { FidelityPart } from '../fidelity-part.ts';
import { type AcceptedFinding, type Finding, judgeFindings } from '../findings.ts';
import { installPython, readOutput } from '../references/installed-tool.ts';
import { runTests } from '../run-tests.ts';
import { namedOperations } from './named-operations.ts';
import { CALLS_FOLDER } from './recorded-call.ts';

/** The tests that call AWS as the functions and the operator's command do. */
const TESTS = [
  'test/unit/lambdas/adapters',
  'test/unit/lambdas/manage/republish.test.ts',
  ...['base/target', 'commands', 'operations'].map((name) => `test/unit/cli/${name}`),
];

const ACCEPTED: readonly AcceptedFinding[] = [
  {
    rule: 'dynamodb.DescribeTable (SDK)',
    message: /TableThroughputModeSummary: no such field|NumberOfDecreasesToday, value: 0/,
    reason: "The local run's DynamoDB adds these to its answers. Nothing reads them.",
  },
  {
    rule: 'dynamodbstreams.GetShardIterator (own)',
    message: /SequenceNumber/,
    reason: "The sequence numbers of the local run's DynamoDB are short. The request passes on the one of the stream.",
  },
  {
    rule: 'dynamodbstreams.GetRecords (own)',
    message: /SequenceNumber, value: 1, valid min length: 21/,
    reason: "The sequence numbers of the local run's DynamoDB are short.",
  },
  {
    rule: 'dynamodbstreams.GetRecords (SDK)',
    message: /SequenceNumber, value: 1, valid min length: 21/,
    reason: 'As above. A test reads the stream itself.',
  },
];

const validation = z.object({
  findings: z.array(z.object({ rule: z.string(), message: z.string() })),
  calls: z.array(z.object({ operation: z.string(), sender: z.enum(['SDK', 'own']), count: z.number() })),
  operations: z.array(z.string()),
});
type Validation = z.output<typeof validation>;

/** Validates what Parley sends to AWS services, and what it reads of their answers. */
export const requestsPart: FidelityPart = {
  name: 'requests',
  description: "every request to AWS in the tests of the adapters and the command, checked against botocore's models",
  source: "AWS's models of its services",
  async run(cacheFolder) {
    const python = await installPython('botocore', 'botocore needs Python 3.10 or later', cacheFolder);
    await using folder = await mkdtempDisposable(join(tmpdir(), 'parley-calls-'));
    const failedTests = await recordCalls(folder.path);
    const files = globSync(join(folder.path, '*.jsonl'));
    const program = join(import.meta.dirname, 'validate_calls.py');
    const { findings, calls, operations } = validation.parse(JSON.parse(await readOutput([python, program, ...files])));
    const named = namedOperations((name) => operations.includes(name));
    const isNamed = (operation: string): boolean => named.some((one) => operation.endsWith(`.${one.operation}`));
    // Tests also create tables and queues, which nothing of Parley does.
    const ours = findings.filter(({ rule }) => !rule.includes('.') || isNamed(rule.replace(/ \(.*/, '')));
    const checked = calls.filter(({ operation }) => isNamed(operation)).reduce((sum, { count }) => sum + count, 0);
    const all = [...failedTests, ...ours, ...uncovered(named, calls)];
    return { ...judgeFindings(checked, all, ACCEPTED), table: tableOf(calls.filter((one) => isNamed(one.operation))) };
  },
};

/** Runs the tests with a recorder in each process. Returns the tests that fail. */
const recordCalls = async (folder: string): Promise<readonly Finding[]> => {
  const recorder = pathToFileURL(join(import.meta.dirname, 'record-calls.ts'));
  const { testResults } = await runTests('unit', TESTS, {
    [CALLS_FOLDER]: folder,
    NODE_OPTIONS: `--import=${recorder}`,
  });
  return testResults
    .filter(({ assertionResults }) => assertionResults.some(({ status }) => status === 'failed'))
    .map(({ name }) => ({ rule: 'a test fails', message: name }));
};

const uncovered = (named: ReturnType<typeof namedOperations>, calls: Validation['calls']): readonly Finding[] =>
  named
    .filter(({ operation, sender }) => {
      const isSame = (call: Validation['calls'][number]) =>
        call.operation.endsWith(`.${operation}`) && call.sender === sender;
      return !calls.some(isSame);
    })
    .map(({ operation, sender }) => ({ rule: 'no request', message: `${operation} (${sender})` }));

const tableOf = (calls: Validation['calls']): string =>
  calls.map(({ operation, sender, count }) => `${operation.padEnd(40)} ${sender.padEnd(4)} ${count}`).join('\n');
