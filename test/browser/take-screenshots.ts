import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { createLocalClient } from '../../local/local-client.ts';
import { startLocal } from '../../local/local-cloud.ts';
import { startChromium } from './chromium.ts';
import { openConsole, step } from './console-page.ts';
import { playAStory } from './story.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'images');
const QUALITY = 82;

/** `npm run screenshots`: plays a story on a local run and writes the README's pictures of the console. */
const take = async (page: Page, name: string): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  const bytes = Buffer.from(data, 'base64');
  await writeFile(join(FOLDER, `${name}.webp`), bytes);
  console.log(`docs/images/${name}.webp, ${Math.ceil(bytes.byteLength / 1024)} KiB`);
};

const cloud = await startLocal();
const client = createLocalClient(cloud);
const browser = await startChromium();
try {
  await mkdir(FOLDER, { recursive: true });
  await playAStory(cloud, client);
  const open = async (options: BrowserContextOptions) =>
    (await openConsole(browser, cloud.consoleUrl ?? '', { deviceScaleFactor: 1.5, ...options })).page;
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open({ colorScheme, viewport: { width: 1360, height: 850 } });
    await page.locator('.bubble').filter({ hasText: 'arrives today' }).last().locator('.choose').click();
    await step(page, /^Table: delivered, read/);
    await page.locator('.conversation').evaluate((list) => list.scrollTo(0, list.scrollHeight));
    // What has the focus would be ringed.
    await page.evaluate('document.activeElement.blur()');
    await take(page, `console-${colorScheme}`);
  }
  const narrow = await open({ colorScheme: 'light', viewport: { width: 390, height: 780 } });
  await narrow.locator('.ticks.read').last().waitFor();
  await take(narrow, 'console-narrow');
} finally {
  await browser.close();
  client.close();
  await cloud.close();
}
