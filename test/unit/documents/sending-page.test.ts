import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REFUSAL_CODES } from '../../../lambdas/domain/decision.ts';
import { SEND_STATES } from '../../../lambdas/domain/send-transitions.ts';
import { ROOT } from './markdown.ts';

const page = readFileSync(join(ROOT, 'docs/sending.md'), 'utf8');

/** Returns the names in the first column of the first table of a section. */
const namesUnder = (heading: string): readonly string[] => {
  const [, table = ''] = page.split(`\n## ${heading}\n`)[1]?.split('|---|---|\n') ?? [];
  const [rows = ''] = table.split('\n\n');
  return rows
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
};

describe('docs/sending.md', () => {
  it('lists every refusal code once', () => {
    expect(namesUnder('What is refused').toSorted()).toEqual(REFUSAL_CODES.toSorted());
  });

  it('lists every state of a send once', () => {
    expect(namesUnder('What happens to a send').toSorted()).toEqual(SEND_STATES.toSorted());
  });
});
