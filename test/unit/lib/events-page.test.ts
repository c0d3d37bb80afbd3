import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventsPage } from '../../../lib/documents/events-page.ts';

const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');

describe('docs/events.md', () => {
  it('has the schemas of the code; `npm run schemas` writes them there', () => {
    expect(page).toBe(eventsPage(page));
  });

  it('shows an example of every setting of a target', () => {
    for (const field of ['kind', 'queueArn', 'url', 'header', 'events']) expect(page).toContain(`| \`${field}\` |`);
  });
});
