import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { LocalCloud, LocalOptions } from '../../local/cloud/local-cloud.ts';
import { startTestCloud } from '../support/test-cloud.ts';
import { startChromium } from './chromium.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

export interface ConsolePage {
  readonly page: Page;
  /** Console errors and warnings, uncaught errors, and requests to other origins. */
  readonly problems: readonly string[];
}

/** The console of a local run. */
export type RunningConsole = ConsolePage & {
  readonly cloud: LocalCloud;
  readonly browser: Browser;
  close(): Promise<void>;
};

/** Starts a local run of the stage `dev` with these settings, and opens its console. */
export const startConsole = async (settings?: LocalOptions['settings']): Promise<RunningConsole> => {
  await using stack = new AsyncDisposableStack();
  const [cloud, browser] = await Promise.all([startTestCloud({ settings }), startChromium()]);
  stack.use(cloud);
  stack.adopt(browser, () => browser.close());
  const opened = await openConsole(browser, cloud.consoleUrl ?? '');
  const resources = stack.move();
  return { ...opened, cloud, browser, close: () => resources.disposeAsync() };
};

/** Opens the console and waits until it is live. */
export const openConsole = async (
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> => {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) problems.push(`other origin: ${request.url()}`);
  });
  await page.goto(url);
  await page.locator('.connection.live').waitFor();
  return { page, problems };
};

/** Returns the titles of the timeline's steps, without those of repeated deliveries. */
export const steps = async (page: Page): Promise<readonly string[]> => {
  const titles = await page.locator('.step h3').allInnerTexts();
  return titles.filter((title) => !/^Webhook attempt (?!1\b)/.test(title));
};

/** Waits until the timeline has a step with this title. */
export const step = (page: Page, title: string | RegExp): Promise<void> =>
  page.locator('.step h3').filter({ hasText: title }).first().waitFor();

/** Sends a message on the phone, as the user. */
export const writeAsUser = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Message from the user').fill(text);
  await page.getByRole('button', { name: 'Send as user' }).click();
  const shown = text.replaceAll('*', '');
  await page.locator('.conversation .in').filter({ hasText: shown }).waitFor();
};

/** Adds a user and selects it. */
export const addUser = async (page: Page, contact: string): Promise<void> => {
  await page.getByPlaceholder('Find a user').fill(contact);
  await page.getByRole('button', { name: `Add user ${contact}` }).click();
  await page.locator('.user[aria-current]').filter({ hasText: contact }).waitFor();
};

/** Enqueues a request with a free-form text, a template, or both. */
export const enqueue = async (page: Page, { text = '', template = 'None' }: { text?: string; template?: string }) => {
  // The checklist has links whose names contain those of the fields.
  await page.locator('.controls-pane').getByLabel('Free-form text').fill(text);
  await page.locator('.controls-pane').getByRole('combobox', { name: 'Template' }).selectOption(template);
  await page.getByRole('button', { name: 'Send request' }).click();
};

/** Returns the number of elements in the page. */
export const elements = (page: Page): Promise<number> => page.evaluate<number>(`document.querySelectorAll('*').length`);

export const expectNoProblems = ({ problems }: ConsolePage): void => expect(problems).toEqual([]);

/** Returns the violations that axe-core finds. Source: https://github.com/dequelabs/axe-core */
export const accessibilityViolations = async (page: Page): Promise<readonly string[]> => {
  const axe = await readFile(AXE, 'utf8');
  // Evaluated over the debugger protocol: the page's Content-Security-Policy would block a script element.
  await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
};
