import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { judge } from '../../contract/adapters/adapter-parts.ts';
import { ADAPTER_DIFFERENCES, type AdapterDifference } from '../../contract/adapters/differences.ts';
import { compare, type Difference, isAgreed } from '../../contract/compare.ts';
import type { TestReport } from '../../contract/run-tests.ts';
import { SQS_CONTRACT } from '../../contract/sqs/contract.ts';
import { DIFFERENCES } from '../../contract/sqs/differences.ts';

const COMMAND = fileURLToPath(new URL('../../contract/run-fidelity.ts', import.meta.url));

describe("a reference's result", () => {
  const one = { expected: { bodies: ['a'] } };
  const shared = { reference: 'moto', case: 'a case', reason: 'It drops it.' } as const;
  const listed: Difference = { ...shared, observed: { bodies: [] } };
  const inOneField: Difference = { ...shared, changes: { bodies: [] } };

  it.each([
    ['matches the AWS documentation', { bodies: ['a'] }, undefined, 'same', true],
    ['differs as listed', { bodies: [] }, listed, 'known-difference', true],
    ['differs in the listed field', { bodies: [] }, inOneField, 'known-difference', true],
    ['differs, and is not listed', { bodies: [] }, undefined, 'unlisted-difference', false],
    ['is listed, but no longer differs', { bodies: ['a'] }, listed, 'outdated-difference', false],
    ['differs in a way other than listed', { bodies: ['b'] }, listed, 'outdated-difference', false],
    ['differs in another field, too', { bodies: [], left: 1 }, inOneField, 'outdated-difference', false],
  ] as const)('%s', (_name, observed, difference, kind, agreed) => {
    const comparison = compare(one, observed, difference);

    expect(comparison.kind).toBe(kind);
    expect(isAgreed(comparison)).toBe(agreed);
  });

  it('may leave out undefined values', () => {
    expect(compare({ expected: { id: undefined } }, {}, undefined)).toEqual({ kind: 'same' });
  });
});

describe('the cases and the differences', () => {
  it('have unique names, and each difference names a case', () => {
    const names = SQS_CONTRACT.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const keys = DIFFERENCES.map((difference) => `${difference.reference} ${difference.case}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(DIFFERENCES.map((difference) => difference.case).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('cite a page of the AWS documentation', () => {
    const pages = /^https:\/\/(docs\.aws\.amazon\.com\/AWSSimpleQueueService\/|repost\.aws\/knowledge-center\/)/;
    expect(SQS_CONTRACT.filter(({ source }) => !pages.test(source))).toEqual([]);
  });
});

describe('npm run fidelity', () => {
  const run = (...args: readonly string[]) => {
    const cache = mkdtempSync(join(tmpdir(), 'parley-fidelity-'));
    const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, '--cache', cache, ...args], {
      env: { PATH: import.meta.dirname },
      encoding: 'utf8',
    });
    rmSync(cache, { recursive: true });
    return { status, output: stdout + stderr };
  };

  it('names the missing tool of each skipped part, and counts the skipped parts', () => {
    const { status, output } = run();

    for (const sentence of [
      'dynamodb-local: skipped. DynamoDB Local needs Java 17 or later and Maven: `java` was not found.',
      'adapters-dynamodb-local: skipped. DynamoDB Local needs Java 17 or later and Maven: `java` was not found.',
      'adapters-elasticmq: skipped. ElasticMQ needs Java 17 or later and Maven: `java` was not found.',
      'adapters-moto: skipped. moto needs Python 3.10 or later: `python3` was not found.',
      'functions: skipped. aws-lambda-ric needs Linux, cmake, g++, make, and Python 3 to compile its native module',
      'sqs-elasticmq: skipped. ElasticMQ needs Java 17 or later and Maven: `java` was not found.',
      'sqs-moto: skipped. moto needs Python 3.10 or later: `python3` was not found.',
      'chat-service-client: skipped. botmaker needs Python 3.10 or later: `python3` was not found.',
      'cfn-lint: skipped. cfn-lint needs Python 3.10 or later: `python3` was not found.',
      'event-patterns: skipped. event-ruler needs Java 17 or later and Maven: `java` was not found.',
      'requests: skipped. botocore needs Python 3.10 or later: `python3` was not found.',
      '1 parts run, 12 skipped, 0 failed.',
    ]) {
      expect(output).toContain(sentence);
    }
    expect(status).toBe(0);
  });

  it('fails if a tool is missing and required', () => {
    const { status, output } = run('--require', 'sqs-moto');
    expect(output).toContain('0 parts run, 1 skipped, 0 failed.\nWith --require, a skipped part is an error.');
    expect(status).toBe(1);
  });

  it('lists the parts if one is unknown', () => {
    const { status, output } = run('other');
    expect(output).toContain('Unknown part: other.');
    expect(output).toContain('sqs-elasticmq');
    expect(status).toBe(2);
  });
});

describe('the report of the tests of the adapters', () => {
  const listed: AdapterDifference = {
    reference: 'moto',
    test: 'the queue keeps it',
    observed: 'expected 1',
    reason: 'It drops it.',
    source: 'https://docs.aws.amazon.com/',
  };
  const reportOf = (status: string, ...failureMessages: readonly string[]): TestReport => ({
    testResults: [
      {
        name: '/a.test.ts',
        message: '',
        assertionResults: [
          { fullName: 'the queue keeps it', status, failureMessages: [...failureMessages] },
          { fullName: 'the queue returns it', status: 'passed', failureMessages: [] },
        ],
      },
    ],
  });

  it('has passed tests and listed differences', () => {
    expect(judge(reportOf('failed', 'expected 1, not 2'), 'moto', [listed])).toMatchObject({
      passed: 1,
      differences: 1,
      failures: [],
    });
  });

  it.each([
    ['differs, and is not listed', 'failed', [], 'not listed'],
    ['differs in a way other than listed', 'failed', [listed], 'not listed'],
    ['is listed, but no longer differs', 'passed', [listed], 'no longer as listed'],
  ] as const)('fails if a test %s', (_name, status, differences, failure) => {
    const { failures } = judge(reportOf(status, 'expected 2, not 1'), 'moto', differences);
    expect(failures.join('\n')).toContain(failure);
  });

  it('fails if a file did not run', () => {
    const broken = { testResults: [{ name: '/a.test.ts', message: 'SyntaxError', assertionResults: [] }] };
    expect(judge(broken, 'moto', []).failures.join('\n')).toContain('SyntaxError');
  });

  it('cites a page of the AWS documentation for each difference', () => {
    expect(ADAPTER_DIFFERENCES.filter(({ source }) => !source.startsWith('https://docs.aws.amazon.com/'))).toEqual([]);
  });
});
