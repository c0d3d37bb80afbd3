import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe-core finds wrong with the page as it is, in short. Source: https://github.com/dequelabs/axe-core */
export const accessibilityFaults = async (page: Page): Promise<readonly string[]> => {
  const axe = await readFile(AXE, 'utf8');
  // By the debugger's protocol, not by a script element, which the page's own policy would rightly refuse.
  await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
};
