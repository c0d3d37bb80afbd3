import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'playwright-core';

/** The requests that follow the first frame, such as those for lists. */
const QUIET_MS = 1_500;

/** Counts the requests of the console's first load and the bytes of their bodies, as this machine's server sends them. */
export const measureFirstLoad = async (browser: Browser, url: string) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const sizes: Promise<number>[] = [];
  context.on('response', (response) => {
    // The feeds never end.
    const isFeed = response.headers()['content-type']?.startsWith('text/event-stream') ?? false;
    sizes.push(isFeed ? Promise.resolve(0) : response.body().then(({ length }) => length));
  });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('.connection.live').waitFor();
  await pause(QUIET_MS);
  const bytes = (await Promise.all(sizes)).reduce((total, size) => total + size, 0);
  await context.close();
  return { requests: sizes.length, bytes };
};
