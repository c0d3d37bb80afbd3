import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MAX_REQUEST_BYTES, parseSendRequest } from '../../../../lambdas/domain/send-request.ts';
import { limitsPage } from '../../../../lib/documents/limits-page.ts';

const page = readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8');

describe('docs/limits.md', () => {
  it('is up to date; "npm run schemas" writes the limits', () => {
    expect(page).toBe(limitsPage(page));
  });

  it('says what the code does with a request that is too large', () => {
    expect(page).toContain(`| a request | ${MAX_REQUEST_BYTES / 1024} KiB | dead-lettered as malformed`);
    expect(parseSendRequest('x'.repeat(MAX_REQUEST_BYTES + 1))).toMatchObject({ kind: 'malformed' });
  });
});
