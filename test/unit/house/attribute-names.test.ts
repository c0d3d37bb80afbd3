import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { INDEXES } from '../../../lambdas/table/indexes.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** What writes and checks items. Everything else gets what the table's room reads from them. */
const KNOWS_ATTRIBUTES = /^lambdas\/(table|laws|adapters\/dynamodb)\//;

/** Attributes of items that are no words of the domain or of the API, except `contact`, which is one. */
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

describe("the table's attributes", () => {
  it('are named only where items are read, written, and checked', () => {
    const files = globSync(['lambdas/**/*.ts', 'cli/**/*.ts', 'lib/**/*.ts'], { cwd: ROOT });
    const naming = files.filter(
      (file) => !KNOWS_ATTRIBUTES.test(file) && USE.test(readFileSync(join(ROOT, file), 'utf8')),
    );

    // The cursor of a conversation is a position in the index.
    expect(naming.toSorted()).toEqual(['lambdas/domain/message.ts']);
  });
});
