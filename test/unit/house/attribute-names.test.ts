import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { INDEXES } from '../../../lambdas/table/indexes.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The code that reads, writes, and checks items. Other code uses the readers and keys in `lambdas/table`. */
const KNOWS_ATTRIBUTES = /^lambdas\/(table|laws|adapters\/dynamodb)\//;

/** Attributes of items whose names are not words of the domain or the API. `contact` is one, so it is left out. */
const ATTRIBUTES = [
  ...INDEXES.flatMap(({ partition, sort }) => [partition, sort]).filter((name) => name !== 'contact'),
  ...[
    'createdAtSource',
    'lastInboundDigest',
    'identifiedAt',
    'statusChannel',
    'gapClosedAt',
    'lastFailedAt',
    'addedAt',
  ],
];

/** As a string, as a property of an item, or as a field of a schema. */
const USE = new RegExp(
  `['"](${ATTRIBUTES.join('|')})['"]|\\.(${ATTRIBUTES.join('|')})\\b|\\b(${ATTRIBUTES.join('|')}):`,
);

/** The start of a partition key in a string, or a comparison with a sort key. */
const KEY = /['"`](ACCOUNT|AUDIT|CHANNEL|CONTACT|ERASURE|MESSAGE|SEND)#|\bsk (===|!==|=) /;

const filesWith = (pattern: RegExp, folders = '{lambdas,cli,lib,local,sandbox}'): readonly string[] =>
  globSync([`${folders}/**/*.{ts,tsx}`], { cwd: ROOT })
    .filter((file) => !KNOWS_ATTRIBUTES.test(file) && pattern.test(readFileSync(join(ROOT, file), 'utf8')))
    .toSorted();

describe('code outside of where items are read, written, and checked', () => {
  it('names no attribute of an item', () => {
    expect(filesWith(USE)).toEqual([]);
  });

  it('contains no key of an item', () => {
    // The policies of `lib` restrict which keys a function may use. A dead letter can be a change to the table.
    expect(filesWith(KEY, '{lambdas,cli,local,sandbox}')).toEqual(['lambdas/domain/dead-letter-subject.ts']);
  });
});
