import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

export type ConsolePage = {
  readonly page: Page;
  /** What a good page has none of: errors, and requests to another address than its own. */
  readonly complaints: readonly string[];
};

/** Opens the console and waits until it is live. */
export const openConsole = async (
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> => {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) complaints.push(`outside: ${request.url()}`);
  });
  await page.goto(url);
  await page.locator('.connection.live').waitFor();
  return { page, complaints };
};

/** The steps of the way that is shown, by their titles. */
export const steps = (page: Page): Promise<string[]> => page.locator('.step h3').allInnerTexts();

/** Waits until the way that is shown has a step of this title. */
export const step = (page: Page, title: string | RegExp): Promise<void> =>
  page.locator('.step h3').filter({ hasText: title }).first().waitFor();

/** Writes on the phone, as the user. */
export const writeAsUser = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Message of the user').fill(text);
  await page.getByRole('button', { name: 'Send as the user' }).click();
  const shown = text.replaceAll('*', '');
  await page.locator('.conversation .in').filter({ hasText: shown }).waitFor();
};

/** Becomes a user whom nobody knows yet. */
export const becomeUser = async (page: Page, contact: string): Promise<void> => {
  await page.getByPlaceholder('Find a user').fill(contact);
  await page.getByRole('button', { name: `Be ${contact}` }).click();
  await page.locator('.user[aria-current]').filter({ hasText: contact }).waitFor();
};

/** Puts a free-form text, a template, or both on the send queue by the form. */
export const enqueue = async (page: Page, { text = '', template = 'none' }: { text?: string; template?: string }) => {
  await page.getByLabel('Free-form text').fill(text);
  await page.getByRole('combobox', { name: 'Template' }).selectOption(template);
  await page.getByRole('button', { name: 'Enqueue' }).click();
};

/** How many elements the page has. */
export const elements = (page: Page): Promise<number> => page.evaluate<number>(`document.querySelectorAll('*').length`);

export const expectNoComplaints = ({ complaints }: ConsolePage): void => expect(complaints).toEqual([]);
