import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { firstDeploymentPage } from './first-deployment-page.ts';
import { ROOT } from './markdown.ts';

test('docs/first-deployment.md has the steps of a new app, for every kind of authentication', () => {
  const page = readFileSync(join(ROOT, 'docs/first-deployment.md'), 'utf8');

  expect(page, 'Run npm run schemas.').toBe(firstDeploymentPage(page));
});
