import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LocalCloud } from '../../local/local-cloud.ts';
import { startTestCloud } from '../support/test-cloud.ts';
import { startChromium } from './chromium.ts';
import {
  accessibilityViolations,
  addUser,
  type ConsolePage,
  expectNoProblems,
  openConsole,
  step,
  writeAsUser,
} from './console-page.ts';

let cloud: LocalCloud;
let browser: Browser;
let opened: ConsolePage;
let page: Page;

beforeAll(async () => {
  [cloud, browser] = await Promise.all([startTestCloud(), startChromium()]);
  opened = await openConsole(browser, cloud.consoleUrl ?? '');
  page = opened.page;
  await addUser(page, '+5491155550001');
  await writeAsUser(page, 'Hello');
  await step(page, 'Published MessageReceived');
});
afterAll(async () => {
  await browser?.close();
  await cloud?.close();
});

const card = () =>
  page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Send a request', exact: true }) });
const text = () => card().getByLabel('Free-form text');
const preview = () => card().locator('figure');
const send = () => card().getByRole('button', { name: 'Send request' }).click();

it('previews free-form text as the phone shows it while the window is open', async () => {
  await text().fill('It arrives *today*.');

  expect(await preview().locator('strong').innerText()).toBe('today');
  expect(await preview().locator('figcaption').innerText()).toBe('Free-form text, because the window is open');
});

it('says why an empty request cannot be sent', async () => {
  await text().fill(' ');
  await send();

  await card().getByRole('alert').getByText('Enter text, choose a template, or add media.').waitFor();
  await text().fill('It arrives *today*.');
  expect(await card().getByRole('alert').count()).toBe(0);
});

it('warns about a media address that Parley refuses', async () => {
  await card().getByText('Media', { exact: true }).click();
  await card().getByLabel('Image URL').fill('http://media.example/parcel.jpg');

  await card().getByText('Media needs an https URL. Parley will refuse this one with MEDIA_UNSUPPORTED.').waitFor();
  await card().getByLabel('Image URL').fill('');
});

it('warns before a refusal after the window has closed, and sends the request anyway', async () => {
  await page.getByRole('button', { name: '+ 25 h' }).click();
  await card().getByRole('note').getByText('WINDOW_CLOSED').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);

  await send();

  await step(page, 'Decision: WINDOW_CLOSED');
});

it('requires a value for each variable of a template that it has created', async () => {
  await card().getByRole('button', { name: 'Create a sample template' }).click();
  await preview().getByText('Hello ${name}, your parcel arrives today.').waitFor();
  await text().fill('Your parcel is there.');

  await card().getByLabel('${name}').fill('  ');
  await send();

  await card().getByText('Enter a value for ${name}. The chat service rejects empty values.').waitFor();
  expect(await page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
  expect(await accessibilityViolations(page)).toEqual([]);
});

it('previews and sends the template because the window is closed', async () => {
  await card().getByLabel('${name}').fill('Ana');
  expect(await preview().locator('figcaption').innerText()).toBe('The template, because the window is closed');
  await preview().getByText('Hello Ana, your parcel arrives today.').waitFor();

  await send();

  await step(page, 'Decision: intent/v2');
  await page.locator('.conversation .out').getByText('Hello Ana, your parcel arrives').waitFor();
  expectNoProblems(opened);
});
