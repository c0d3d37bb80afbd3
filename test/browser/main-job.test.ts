import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalCloud, startLocal } from '../../local/local-cloud.ts';
import { accessibilityFaults } from './accessibility.ts';
import { startChromium } from './chromium.ts';
import {
  becomeUser,
  type ConsolePage,
  elements,
  enqueue,
  expectNoComplaints,
  openConsole,
  step,
  steps,
  writeAsUser,
} from './console-page.ts';

// The whole of it under the console: the synthesized stack, its functions and its queues; everything by clicks.

let cloud: LocalCloud;
let browser: Browser;
let opened: ConsolePage;
let page: Page;

beforeAll(async () => {
  [cloud, browser] = await Promise.all([startLocal(), startChromium()]);
  opened = await openConsole(browser, cloud.consoleUrl ?? '');
  page = opened.page;
});
afterAll(async () => {
  await browser?.close();
  await cloud?.close();
});

const card = (title: string) => page.locator('.card').filter({ has: page.getByRole('heading', { name: title }) });
const unfold = async (title: string) => {
  if (!(await card(title).evaluate((element) => element.hasAttribute('open'))))
    await card(title).locator('summary').first().click();
};
const lastSent = () => page.locator('.conversation .out').last();

describe('the main job, by clicks', () => {
  it('shows the way of what a new user writes: webhook, verification, table, window', async () => {
    await becomeUser(page, '+5491155550001');
    expect(await page.locator('.countdown').innerText()).toBe('Never opened');
    await writeAsUser(page, 'Where is my *parcel*?');

    await step(page, 'Bus: MessageReceived');

    expect(await steps(page)).toEqual([
      'The user writes',
      'Webhook, attempt 1: 200',
      'Table: message stored',
      'Table: conversation window',
      'Bus: MessageReceived',
    ]);
    expect(await page.locator('.conversation .in strong').innerText()).toBe('parcel');
    expect(await page.locator('.countdown').innerText()).toMatch(/^(1 d 00:00:00|23:59:)/);
  });

  it('shows the way of a request within the window, up to Delivered and Read', async () => {
    await enqueue(page, { text: 'It arrives _today_.' });
    await lastSent().getByRole('img', { name: 'Delivered' }).waitFor();
    await page.getByRole('button', { name: 'Read all' }).click();
    await lastSent().getByRole('img', { name: 'Read' }).waitFor();

    await step(page, /^Table: delivered, read/);

    await step(page, 'Bus: MessageRead');
    // What the bus carries comes when the table's stream does, between whichever other steps.
    const shown = (await steps(page)).filter((title) => !title.startsWith('Bus: '));
    expect(shown[0]).toMatch(/^Request console-\w+ on the send queue$/);
    expect(shown.slice(1, 5)).toEqual([
      'Decision: message/v3',
      'POST message/v3: 200',
      'Table: accepted',
      'On the user’s device',
    ]);
    expect(shown.filter((title) => title === 'Webhook, attempt 1: 200')).toHaveLength(2);
  });

  it('shows bodies on demand', async () => {
    await page.locator('.step').filter({ hasText: 'POST message/v3' }).getByText('Answer').click();

    expect(await page.locator('.step pre').innerText()).toContain('"problems": null');
  });

  it('refuses, once the clock has moved 25 hours, and says why', async () => {
    await page.getByRole('button', { name: '+ 25 h' }).click();
    await page.locator('.window-card.closed').waitFor();
    await enqueue(page, { text: 'Are you still there?' });

    await step(page, 'Decision: WINDOW_CLOSED');

    const detail = await page.locator('.step').filter({ hasText: 'Decision' }).locator('.detail').innerText();
    expect(detail).toContain('The request has no template');
    await page.locator('.happening').filter({ hasText: 'WINDOW_CLOSED' }).first().waitFor();
  });

  it('sends a template once the operator has approved it, with its variables filled in', async () => {
    await unfold('Templates');
    await page.getByRole('button', { name: 'New template' }).click();
    await page.getByRole('button', { name: 'Submit for approval' }).click();
    await page.getByRole('button', { name: 'Approve parcel_update' }).click();
    await card('Templates').locator('.badge').filter({ hasText: 'approved' }).waitFor();
    await page.getByRole('combobox', { name: 'Template' }).selectOption('parcel_update');
    await page.getByLabel('${name}').fill('Ana');
    await page.getByLabel('Free-form text').fill('Your parcel is there.');
    await page.getByRole('button', { name: 'Enqueue' }).click();

    await step(page, 'Decision: intent/v2');

    await lastSent().getByText('Hello Ana, your parcel arrives').waitFor();
  });

  it('lists what could not be read among the dead letters, and moves it back', async () => {
    await fetch(`${cloud.chatServiceUrl}/sandbox/events`, { method: 'POST', body: '{"hello":"world"}' });
    await unfold('Dead letters');
    await card('Dead letters').getByText('_id_').first().waitFor();

    await page.getByRole('button', { name: 'Redrive events' }).click();

    await page.getByText('1 moved back to be read again.').waitFor();
  });
});

describe('a fault and its recovery', () => {
  it('shows the request wait without credit, and go out with it', async () => {
    await writeAsUser(page, 'Hello again');
    await unfold('Account');
    await card('Account').getByRole('button', { name: '0', exact: true }).click();
    await enqueue(page, { text: 'When there is credit.' });
    await page.locator('.happening .badge').filter({ hasText: 'waiting' }).waitFor();
    await step(page, 'POST message/v3: 403');

    await card('Account').getByRole('button', { name: '10,000' }).click();
    await page.getByRole('button', { name: '+ 1 h' }).click();

    await lastSent().getByText('When there is credit.').waitFor();
    await step(page, 'POST message/v3: 200');
  });

  it('shows an answer that fails on order, the wait that it asks for, and the second call', async () => {
    await unfold('Faults');
    await card('Faults').getByRole('button', { name: 'Inject' }).click();
    await page.getByText('From now, once: Answer 503').waitFor();
    await enqueue(page, { text: 'At the second attempt.' });

    await lastSent().getByText('At the second attempt.').waitFor();
    await step(page, 'POST message/v3: 503');
    await step(page, 'POST message/v3: 200');
    await page.locator('.step .detail').filter({ hasText: '2 attempts so far.' }).waitFor();
  });

  it('shows a delivery that a phone without signal holds up, and its end', async () => {
    await page.getByLabel('Device is on').uncheck();
    await page.locator('.phone.off').waitFor();
    await enqueue(page, { text: 'Later.' });
    await lastSent().getByText('Later.').waitFor();
    await lastSent().getByRole('img', { name: 'Sent' }).waitFor();

    await page.getByLabel('Device is on').check();

    await lastSent().getByRole('img', { name: 'Delivered' }).waitFor();
  });
});

describe('the page', () => {
  it.each(['light', 'dark'] as const)('has nothing that axe-core finds fault with, in %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });

    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('is readable at a phone’s width, one part at a time, with nothing beside the screen', async () => {
    await page.setViewportSize({ width: 375, height: 720 });
    for (const [name, room] of [
      ['Flow', '.flow-room'],
      ['Controls', '.controls-room'],
      ['Phone', '.phone-room'],
    ] as const) {
      await page.getByRole('navigation').getByRole('button', { name }).click();
      await page.locator(room).waitFor();

      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
      expect(await accessibilityFaults(page)).toEqual([]);
    }
  });

  it('stays small', async () => {
    expect(await elements(page)).toBeLessThan(1_000);
  });

  it('made no error, and asked no outside address', () => {
    expectNoComplaints(opened);
  });
});
