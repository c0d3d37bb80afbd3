import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settingsPage } from '../../../../lib/documents/settings-page.ts';
import { describedSettings } from '../../../../lib/settings/settings-guide.ts';

const page = readFileSync(new URL('../../../../docs/settings.md', import.meta.url), 'utf8');

describe('docs/settings.md', () => {
  it('is up to date; "npm run schemas" writes the settings', () => {
    expect(page).toBe(settingsPage(page));
  });

  it('has every setting once', () => {
    const listed = [...page.matchAll(/^- `([^`]+)`:/gm)].map(([, path]) => path);
    expect(listed.toSorted()).toEqual(
      describedSettings()
        .map(({ path }) => path)
        .toSorted(),
    );
  });
});
