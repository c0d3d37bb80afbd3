import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { startTestCloud } from '../support/test-cloud.ts';
import { startChromium } from './chromium.ts';
import { accessibilityViolations, type ConsolePage, expectNoProblems, openConsole } from './console-page.ts';

// What needs attention, with the action beside it, and what happened before the page was opened.

const USER = '+5491155550001';

let cloud: LocalCloud;
let browser: Browser;
let opened: ConsolePage;
let page: Page;

const call = (path: string, body: unknown, method = 'POST') =>
  fetch(`${cloud.chatServiceUrl}${path}`, { method, body: JSON.stringify(body) });
const send = (requestId: string, messageText = 'It arrives today.') => {
  const body = { requestId, platformContactId: USER, messageText };
  return call('/inspector/requests', { body, groupId: USER, deduplicationId: requestId });
};
const banner = (text: string | RegExp) => page.locator('.banner').filter({ hasText: text });
const row = (requestId: string, state: string) =>
  page.locator('.log-row').filter({ hasText: requestId }).filter({ hasText: state }).waitFor();

beforeAll(async () => {
  [cloud, browser] = await Promise.all([startTestCloud(), startChromium()]);
  await call(`/sandbox/users/${encodeURIComponent(USER)}/messages`, { text: 'Hello' });
  opened = await openConsole(browser, cloud.consoleUrl ?? '');
  page = opened.page;
});
afterAll(async () => {
  await browser?.close();
  await cloud?.close();
});

describe('the page when it is opened', () => {
  it('shows no banner, and none takes space', async () => {
    expect(await page.locator('.banners').evaluate(({ clientHeight }) => clientHeight)).toBe(0);
  });

  it('lists what happened before, once', async () => {
    await page.getByRole('link', { name: 'Event log' }).click();
    await page.locator('.log-row').filter({ hasText: 'Webhook: 200' }).first().waitFor();

    expect(await page.locator('.log-row').filter({ hasText: 'User message' }).count()).toBe(1);
    await page.getByRole('link', { name: 'This user' }).click();
  });

  it('counts what happened before and what happens now', async () => {
    await page.getByRole('img', { name: 'Received: 1 in the last 5 minutes, 1 in the last 30' }).waitFor();

    await call(`/sandbox/users/${encodeURIComponent(USER)}/messages`, { text: 'Hello again' });

    await page.getByRole('img', { name: 'Received: 2 in the last 5 minutes, 2 in the last 30' }).waitFor();
  });
});

describe('a banner', () => {
  it('resumes sending that an operator stopped', async () => {
    await call('/inspector/stops', { note: 'A wrong template is being sent.' });
    await banner('An operator stopped sending').filter({ hasText: 'Note: A wrong template' }).waitFor();

    await page.getByRole('button', { name: 'Resume sending' }).first().click();

    await banner('An operator stopped sending').waitFor({ state: 'detached' });
    await page.getByText('Sending resumed.').waitFor();
  });

  it('adds credit and closes the circuit breaker', async () => {
    await call('/sandbox/account', { credit: 0 }, 'PATCH');
    // Each function relies for 5 seconds on what it last read about a stop, so the first attempt may wait.
    await send('without-credit');
    await banner('The circuit breaker is open: the account has no credit').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Add credit' }).click();
    await page.getByRole('button', { name: 'Add credit' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Close circuit breaker' }).click();
    await page.getByText('The next request is a probe. If the chat service accepts it').waitFor();

    await row('without-credit', 'delivered');
    await banner('circuit breaker').waitFor({ state: 'detached' });
  });

  it('leads to the uncertain request, where it is resolved', async () => {
    await call('/sandbox/faults', { answers: { status: 502 } });
    await send('uncertain-1');
    await row('uncertain-1', 'uncertain');
    // Without credit, then the uncertain one.
    await page.getByRole('img', { name: 'Failed calls: 2 in' }).waitFor();
    await page.locator('.banner a[href*="request=uncertain-1"]').click();
    const form = page.getByRole('region', { name: 'Resolve the uncertain send' });
    expect(await accessibilityViolations(page)).toEqual([]);

    await form.getByLabel('Outcome').selectOption({ label: 'Not sent: give up' });
    await form.getByRole('button', { name: 'Resolve' }).click();

    await banner('unknown outcome').waitFor({ state: 'detached' });
  });

  it('leads to the dead letters', async () => {
    await call('/sandbox/events', { hello: 'world' });

    await banner(/\d+ events? (is a|are) dead letters?\./)
      .getByRole('link', { name: 'Review dead letters' })
      .click();

    expect(new URL(page.url()).searchParams.get('tab')).toBe('dead-letters');
  });
});

describe('at the width of a phone', () => {
  it('shows banners without horizontal scrolling, and opens what they lead to', async () => {
    await page.getByRole('link', { name: 'This user' }).click();
    await page.setViewportSize({ width: 375, height: 720 });
    await page.getByRole('navigation').getByRole('button', { name: 'Controls' }).click();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.getByRole('link', { name: 'Review dead letters' }).click();

    await page.locator('.activity-pane').waitFor();
  });
});

it('logs no errors and makes no requests to other origins', () => expectNoProblems(opened));
