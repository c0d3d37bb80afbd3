import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalManagementClient } from '../../local/inspector/management-client.ts';
import {
  accessibilityViolations,
  addUser,
  expectNoProblems,
  type RunningConsole,
  startConsole,
  writeAsUser,
} from './console-page.ts';

// The cards that control the service, its clock, and sending.

let opened: RunningConsole;
let page: Page;

beforeAll(async () => {
  opened = await startConsole();
  ({ page } = opened);
  // The tests expect only their own faults in the list.
  await fetch(`${opened.cloud.chatServiceUrl}/sandbox/faults`, { method: 'DELETE' });
  await addUser(page, '+5491155550001');
});
afterAll(() => opened?.close());

const card = (title: string) =>
  page.locator('.card').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
const toggle = (title: string) => card(title).locator('summary').first().click();
const isOpen = (one: Locator) => one.evaluate((element) => element.hasAttribute('open'));

it('says what opens a window that never was open, in a neutral color', async () => {
  const window = page.locator('.window-card.never');

  expect(await window.innerText()).toContain('It opens when the user writes.');
  await card('Clock').getByRole('button', { name: 'Advance past the window' }).press('Enter');
  await page.getByText("The selected user's conversation window is not open.").waitFor();
});

it('advances the clock by another amount and to the end of the window', async () => {
  await writeAsUser(page, 'Hello');
  await page.locator('.window-card.open').waitFor();
  await card('Clock').getByLabel('Amount of time').fill('1.5');
  await card('Clock').getByRole('button', { name: 'Advance', exact: true }).click();
  await page
    .locator('.countdown')
    .filter({ hasText: /^22:[23]/ })
    .waitFor();

  await card('Clock').getByRole('button', { name: 'Advance past the window' }).click();

  await page.locator('.window-card.closed').filter({ hasText: 'Only templates can be sent.' }).waitFor();
});

it('leads from the closed window to the template to send, which it creates if there is none', async () => {
  await toggle('Send a request');
  await page.locator('.window-card').getByRole('button', { name: 'Create a sample template' }).click();

  await page.getByRole('combobox', { name: 'Template' }).and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'Send a template' }).waitFor();
});

it('has a banner for the closed window, which leads to the template as well', async () => {
  await page.getByRole('button', { name: 'Use a template' }).click();

  await page.getByRole('combobox', { name: 'Template' }).and(page.locator(':focus')).waitFor();
  await page.getByText('is closed. Only templates can be sent.').waitFor();
});

it('stops and resumes sending', async () => {
  await toggle('Sending');
  await card('Sending').getByRole('button', { name: 'Stop sending' }).press('Enter');
  await page.getByText('Enter a reason first, so that others know why sending is stopped.').waitFor();
  await card('Sending').getByLabel('Reason for stopping').fill('A wrong template');
  await card('Sending').getByRole('button', { name: 'Stop sending' }).click();
  await page.locator('.banner').filter({ hasText: 'Note: A wrong template' }).waitFor();

  await card('Sending').getByRole('button', { name: 'Resume sending' }).click();

  await page.locator('.banner').filter({ hasText: 'stopped sending' }).waitFor({ state: 'detached' });
});

it('lists the active faults, also those of other clients, until they are used or cleared', async () => {
  const faults = page.getByRole('list', { name: 'Active faults' });
  await fetch(`${opened.cloud.chatServiceUrl}/sandbox/faults`, {
    method: 'POST',
    body: JSON.stringify({ deliveries: { double: true } }),
  });
  await toggle('Fault injection');
  await faults.getByText('Deliver each event twice, once').waitFor();
  await card('Fault injection').getByRole('button', { name: 'Inject' }).click();
  await faults.getByText('Return 503, Retry-After: 2, once').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);

  await writeAsUser(page, 'Used by this event');
  await faults.getByText('Deliver each event twice').waitFor({ state: 'detached' });
  await card('Fault injection').getByRole('button', { name: 'Clear all' }).click();

  await faults.waitFor({ state: 'detached' });
});

it('remembers which cards are open', async () => {
  expect(await isOpen(card('Account'))).toBe(false);
  await toggle('Account');
  await toggle('Clock');
  // The browser reports a toggled card in a later task than the click.
  await page.waitForFunction(() => localStorage.getItem('parley-console-open-cards')?.includes('"Clock":false'));
  await page.reload();
  await page.locator('.connection.live').waitFor();

  expect([await isOpen(card('Account')), await isOpen(card('Clock'))]).toEqual([true, false]);
});

it("lists a user's addresses, what holds at all of them, and no address that somebody else has now", async () => {
  const [phone, other] = ['+5491155550001', '+5491155550002'];
  const writeAs = async (contact: string, customerId: string, text: string) => {
    await page.locator('.user').filter({ hasText: contact }).click();
    await card('Phone').filter({ hasText: contact }).getByLabel('Customer ID').fill(customerId);
    const changed = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await page.keyboard.press('Enter');
    await changed;
    await writeAsUser(page, text);
  };
  await addUser(page, other);
  await writeAs(other, 'customer-7', 'Hello from the other number');
  await writeAs(phone, 'customer-7', 'Hello from this one');
  const addresses = card('Addresses');
  await addresses.filter({ hasText: '2 addresses' }).waitFor();

  const api = createLocalManagementClient(opened.cloud.managementUrl);
  await api('POST', '/v1/opt-outs', { platformContactId: other, source: 'phone call' });

  await card('User')
    .filter({ hasText: `opted out at ${other}` })
    .waitFor();
  await addresses
    .locator('li')
    .filter({ hasText: phone })
    .filter({ hasText: `opted out at ${other}` })
    .waitFor();
  await addresses.getByText('Messages at all addresses').click();
  const messages = addresses.locator('.customer-messages li');
  await messages.filter({ hasText: 'Hello from this one' }).waitFor();
  // What was written from the number with another customer ID is left out.
  expect(await messages.count()).toBe(2);
  expect(await accessibilityViolations(page)).toEqual([]);
  await addresses.getByRole('link', { name: other }).click();
  await page.locator('.conversation .in').filter({ hasText: 'Hello from the other number' }).waitFor();

  await writeAs(other, 'customer-8', 'My new number');
  await addresses.filter({ hasText: '1 address' }).filter({ hasText: 'customer-8' }).waitFor();
  expect(await page.locator('.conversation .bubble .text').allInnerTexts()).toEqual(['My new number']);
  await page.locator('.user').filter({ hasText: phone }).click();
  await addresses.filter({ hasText: '1 address' }).filter({ hasText: 'customer-7' }).waitFor();
  expect(await addresses.innerText()).not.toContain(other);
});

it('logs no errors and makes no requests to other origins', () => expectNoProblems(opened));
