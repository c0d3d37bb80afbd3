import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventsPage } from '../../../../lib/documents/events-page.ts';

const page = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8');

describe('docs/events.md', () => {
  it('is up to date; "npm run schemas" writes the schemas', () => {
    expect(page).toBe(eventsPage(page));
  });

  it('documents every setting of a target', () => {
    for (const field of ['kind', 'queueArn', 'url', 'header', 'events']) expect(page).toContain(`| \`${field}\` |`);
  });
});
