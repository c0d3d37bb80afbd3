import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalClient, type LocalClient } from '../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { eventually } from '../support/eventually.ts';
import { allDelivered, startTestCloud } from '../support/test-cloud.ts';
import { startChromium } from './chromium.ts';
import { accessibilityViolations, type ConsolePage, expectNoProblems, openConsole } from './console-page.ts';

// The lists of requests, dead letters, and events of a full local run.

const ANA = '+5491155550001';
const BRUNO = '+5491155550002';

let cloud: LocalCloud;
let client: LocalClient;
let browser: Browser;
let opened: ConsolePage;
let page: Page;

const rows = () => page.locator('.log-row');
const tab = (name: string) => page.locator('.tabs').getByRole('link', { name });
const state = (name: string) => page.getByRole('navigation', { name: 'States' }).getByRole('link', { name });
const search = () => page.getByRole('searchbox', { name: 'Find requests' });
const count = () => page.locator('.filter-bar .count');
const deadLetter = (text: string) => page.locator('.dead-letters li').filter({ hasText: text });
const focused = () => page.evaluate<string>('document.activeElement.innerText');
const query = () => new URL(page.url()).searchParams;

const outcomeOf = (requestId: string) =>
  eventually(async () => {
    const found = (await client.table())[`SEND#${requestId} SEND`]?.state;
    return found === 'accepted' || found === 'refused' ? found : undefined;
  });

beforeAll(async () => {
  [cloud, browser] = await Promise.all([startTestCloud(), startChromium()]);
  client = createLocalClient(cloud);
  await client.control('PATCH', `/users/${encodeURIComponent(ANA)}`, { name: 'Ana Torres' });
  await client.control('PATCH', `/users/${encodeURIComponent(BRUNO)}`, { name: 'Bruno Lima' });
  await client.control('POST', `/users/${encodeURIComponent(ANA)}/messages`, { text: 'Good morning' });
  await allDelivered(client);
  for (const number of [1, 2, 3]) {
    await client.enqueue({
      requestId: `ana-${number}`,
      platformContactId: ANA,
      messageText: `Parcel ${number} arrives`,
    });
  }
  await client.enqueue({ requestId: 'bruno-1', platformContactId: BRUNO.slice(1), messageText: 'Are you there?' });
  for (const id of ['ana-1', 'ana-2', 'ana-3']) expect(await outcomeOf(id)).toBe('accepted');
  expect(await outcomeOf('bruno-1')).toBe('refused');
  opened = await openConsole(browser, `${cloud.consoleUrl}?user=${encodeURIComponent(ANA)}`);
  page = opened.page;
});
afterAll(async () => {
  client?.close();
  await browser?.close();
  await cloud?.close();
});

describe('the list of all requests', () => {
  it('shows the requests for every user, and how many there are', async () => {
    await rows().filter({ hasText: 'ana-1' }).waitFor();
    expect(await rows().count()).toBe(3);

    await tab('All requests').click();

    await rows().filter({ hasText: 'bruno-1' }).waitFor();
    expect(await rows().count()).toBe(4);
    expect(await count().innerText()).toBe('4 requests');
    expect(await rows().filter({ hasText: 'bruno-1' }).innerText()).toContain('WINDOW_CLOSED');
  });

  it('filters by state, and Back removes the filter', async () => {
    await state('refused').click();
    await count().getByText('1 of 4 requests').waitFor();
    expect(await rows().allInnerTexts()).toEqual([expect.stringContaining('bruno-1')]);
    expect(query().get('state')).toBe('refused');
    expect(await state('waiting').count()).toBe(0);

    await page.goBack();

    await count().getByText('4 requests', { exact: true }).waitFor();
  });

  it('filters by text, without an entry in the history for each character', async () => {
    // Frames are slow on a busy machine: characters are typed while the page still shows the earlier text.
    await page.evaluate('window.requestAnimationFrame = (callback) => setTimeout(callback, 150)');

    await search().pressSequentially('PARCEL 2', { delay: 50 });

    await count().getByText('1 of 4 requests').waitFor();
    expect(await rows().allInnerTexts()).toEqual([expect.stringContaining('ana-2')]);
    expect(query().get('q')).toBe('PARCEL 2');

    await page.reload();

    await count().getByText('1 of 4 requests').waitFor();
    expect(await search().inputValue()).toBe('PARCEL 2');
  });

  it('says that nothing matches, and clears the filter', async () => {
    await search().fill('nothing like this');
    await page.getByText('No requests match the filter.').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.getByRole('link', { name: 'Clear filter' }).click();

    await rows().filter({ hasText: 'bruno-1' }).waitFor();
    expect(await search().inputValue()).toBe('');
  });

  it("selects the user of another user's request, whose number has no plus in the request", async () => {
    await rows().filter({ hasText: 'bruno-1' }).click();

    await page.locator('.user[aria-current]').filter({ hasText: 'Bruno Lima' }).waitFor();
    await page.locator('.step').filter({ hasText: 'WINDOW_CLOSED' }).first().waitFor();
    expect([query().get('user'), query().get('request')]).toEqual([BRUNO, 'bruno-1']);
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('is one tab stop, and the arrow keys select the row above or below', async () => {
    const order = (await rows().locator('.id').allInnerTexts()).indexOf('bruno-1');
    const neighbor = order === 0 ? 1 : order - 1;
    expect(await page.locator('.log-row:not([tabindex])').count()).toBe(1);

    await page.locator('.log-row:not([tabindex])').focus();
    await page.keyboard.press(order === 0 ? 'ArrowDown' : 'ArrowUp');

    await expect.poll(focused, { timeout: 20_000 }).toContain('ana-');
    expect(await rows().nth(neighbor).getAttribute('aria-current')).toBe('true');
    await page.locator('.user[aria-current]').filter({ hasText: 'Ana Torres' }).waitFor();
  });

  it('shows a new request by itself', async () => {
    await client.enqueue({ requestId: 'ana-4', platformContactId: ANA, messageText: 'Parcel 4 arrives' });

    await rows().filter({ hasText: 'ana-4' }).waitFor();
    await count().getByText('5 requests', { exact: true }).waitFor();
  });
});

describe('the list of dead letters', () => {
  it('shows both queues, and says that a redrive alone does not help a malformed request', async () => {
    await client.enqueue({ requestId: 'malformed-1', platformContactId: ANA });
    await client.control('POST', '/events', { hello: 'Ana' });
    await client.control('POST', '/events', { hello: 'Bruno' });
    await tab('Dead letters').click();

    await deadLetter('malformed-1').getByText('so redriving it will fail again').waitFor();
    await page.getByRole('heading', { name: 'Requests 1', exact: true }).waitFor();
    // Each delivery of an event that cannot be parsed is quarantined.
    await page.getByRole('heading', { name: /^Events [4-9]$/ }).waitFor();
    await deadLetter('malformed-1').getByText('Message', { exact: true }).click();
    expect(await deadLetter('malformed-1').locator('pre').innerText()).toContain('"platformContactId"');
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('discards one after a confirmation, which can be cancelled', async () => {
    await deadLetter('malformed-1').getByRole('button', { name: 'Discard' }).click();
    await deadLetter('malformed-1').getByText('This cannot be undone.').waitFor();
    expect(await focused()).toBe('Cancel');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('Discard');
    expect(await deadLetter('malformed-1').getByText('This cannot be undone.').count()).toBe(0);

    await page.keyboard.press('Enter');
    await deadLetter('malformed-1').getByRole('button', { name: 'Discard' }).click();

    await page.getByText('Dead letter discarded.').waitFor();
    // A slow machine delivers an event again, which is then quarantined twice.
    await expect.poll(() => deadLetter('malformed-1').count(), { timeout: 20_000 }).toBe(0);
    expect(await page.evaluate(`document.activeElement.matches('.dead-letters')`)).toBe(true);
    expect(await client.queueDepth(cloud.sendDeadLetterQueueUrl)).toBe(0);
  });

  it('redrives one, and shows it again if it fails again', async () => {
    const arrivals = () =>
      page.locator('.dead-letters time').evaluateAll((times) => times.map((time) => time.getAttribute('datetime')));
    const before = await arrivals();

    await page.getByRole('button', { name: 'Redrive', exact: true }).first().click();

    await page.getByText('Moved back to the queue.').waitFor();
    const isBack = async () => {
      const after = await arrivals();
      return after.length >= before.length && after.some((arrival) => !before.includes(arrival));
    };
    await expect.poll(isBack, { timeout: 20_000 }).toBe(true);
  });
});

describe('the event log', () => {
  it('links to messages and users, and selects the user of an entry', async () => {
    await page.locator('.user').filter({ hasText: 'Bruno Lima' }).click();
    await tab('Event log').click();

    await page.locator('a.log-row').filter({ hasText: 'API call: 200' }).first().click();

    await page.locator('.user[aria-current]').filter({ hasText: 'Ana Torres' }).waitFor();
    expect(query().get('message')).not.toBeNull();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('logs no errors in the browser', () => {
    expectNoProblems(opened);
  });
});
