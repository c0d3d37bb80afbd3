import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compare, type Difference, isAgreed } from '../../contract/sqs/compare.ts';
import { SQS_CONTRACT } from '../../contract/sqs/contract.ts';
import { DIFFERENCES } from '../../contract/sqs/differences.ts';
import { REFERENCES } from '../../contract/sqs/reference.ts';

const ROOT = new URL('../../../', import.meta.url);
const PAGE = new URL('docs/decisions/emulate-sqs-and-check-it-against-others.md', ROOT);
const COMMAND = fileURLToPath(new URL('test/contract/sqs/run-contract.ts', ROOT));

const sourceOf = (difference: Difference): string | undefined =>
  SQS_CONTRACT.find(({ name }) => name === difference.case)?.source;

describe("a reference's result", () => {
  const one = { expected: { bodies: ['a'] } };
  const listed: Difference = { reference: 'moto', case: 'a case', observed: { bodies: [] }, reason: 'It drops it.' };

  it.each([
    ['matches the AWS documentation', { bodies: ['a'] }, undefined, 'same', true],
    ['differs as listed', { bodies: [] }, listed, 'known-difference', true],
    ['differs, and is not listed', { bodies: [] }, undefined, 'unlisted-difference', false],
    ['is listed, but no longer differs', { bodies: ['a'] }, listed, 'outdated-difference', false],
    ['differs in a way other than listed', { bodies: ['b'] }, listed, 'outdated-difference', false],
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

  it('are listed in the decision', () => {
    const page = readFileSync(PAGE, 'utf8').replaceAll(/\s+/g, ' ');
    const expected = REFERENCES.map((reference) => {
      const items = DIFFERENCES.filter((difference) => difference.reference === reference);
      return items.map((item) => `- **${item.case}**: ${item.reason} AWS: <${sourceOf(item)}>`).join(' ');
    });
    for (const list of expected) expect(page).toContain(list);
  });
});

describe('npm run contract:sqs', () => {
  it.each([
    ['elasticmq', 'ElasticMQ needs Java 17 or later and Maven: `java` was not found.'],
    ['moto', 'moto needs Python 3.10 or later: `python3` was not found.'],
    ['other', 'Name one or more of ElasticMQ and moto'],
  ])('fails with an explanation if it cannot run %s', (name, sentence) => {
    const { status, stderr } = spawnSync(process.execPath, [COMMAND, name], {
      env: { PATH: import.meta.dirname },
      encoding: 'utf8',
    });

    expect(stderr).toContain(sentence);
    expect(status).toBe(1);
  });
});
