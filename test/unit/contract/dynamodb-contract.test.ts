import { afterAll, describe, expect, inject, it } from 'vitest';
import { compare, isAgreed } from '../../contract/compare.ts';
import { DYNAMODB_CONTRACT } from '../../contract/dynamodb/contract.ts';
import { DYNAMODB_DIFFERENCES } from '../../contract/dynamodb/differences.ts';
import { connectToDynamoDb } from '../../contract/dynamodb/dynamodb-tools.ts';

const dynamodb = connectToDynamoDb(inject('tableEmulator'));
afterAll(() => dynamodb[Symbol.dispose]());

describe("the local run's DynamoDB behaves like DynamoDB, except for the listed differences", () => {
  it.each(DYNAMODB_CONTRACT)('$name', async (one) => {
    const observed = await dynamodb.observe(one);
    const isListed = (listed: (typeof DYNAMODB_DIFFERENCES)[number]) =>
      listed.reference === 'dynoxide' && listed.case === one.name;
    const comparison = compare(one, observed, DYNAMODB_DIFFERENCES.find(isListed));
    if (!isAgreed(comparison)) expect(observed).toEqual(one.expected);
    expect(isAgreed(comparison)).toBe(true);
  });
});

describe('the cases', () => {
  it('have unique names, and each difference names a case', () => {
    const names = DYNAMODB_CONTRACT.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(DYNAMODB_DIFFERENCES.filter((difference) => !names.includes(difference.case))).toEqual([]);
  });

  it('cite a page of the AWS documentation', () => {
    const pages = /^https:\/\/docs\.aws\.amazon\.com\/amazondynamodb\/latest\//;
    expect(DYNAMODB_CONTRACT.filter(({ source }) => !pages.test(source))).toEqual([]);
  });
});
