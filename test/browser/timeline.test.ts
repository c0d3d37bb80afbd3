import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { startTestCloud } from '../support/test-cloud.ts';
import { startChromium } from './chromium.ts';
import {
  accessibilityViolations,
  type ConsolePage,
  expectNoProblems,
  openConsole,
  step,
  steps,
} from './console-page.ts';

// The timeline of messages and requests in a full local run: order, durations, JSON, copying, links, and actions.

const USER = '+5491155550101';
const OTHER_USER = '+5491155550102';

let cloud: LocalCloud;
let browser: Browser;
let opened: ConsolePage;
let page: Page;

const post = (path: string, body: unknown, method = 'POST') =>
  fetch(new URL(path, cloud.chatServiceUrl), {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const userPath = (contact: string) => `/sandbox/users/${encodeURIComponent(contact)}`;
const enqueueFor = (contact: string, requestId: string, text: string) =>
  post('/inspector/requests', {
    body: { requestId, platformContactId: contact, messageText: text },
    groupId: contact,
    deduplicationId: requestId,
  });
const open = async (path: string): Promise<void> => {
  await page.goto(new URL(path, cloud.consoleUrl).href);
  await page.locator('.connection.live').waitFor();
};
/** The user writes a message. Resolves when the table has it, so that the window is open for the next request. */
const write = async (contact: string, text: string): Promise<void> => {
  const written = await post(`${userPath(contact)}/messages`, { text });
  await open(`/?message=${Object(await written.json())._id_}`);
  await step(page, 'Conversation window updated');
};
const copied = () => page.evaluate<string>('navigator.clipboard.readText()');

beforeAll(async () => {
  [cloud, browser] = await Promise.all([startTestCloud(), startChromium()]);
  opened = await openConsole(browser, cloud.consoleUrl ?? '', { permissions: ['clipboard-read', 'clipboard-write'] });
  page = opened.page;
  await post(userPath(USER), { name: 'Ana' }, 'PATCH');
  await write(USER, 'Where is my parcel?');
});
afterAll(async () => {
  await browser?.close();
  await cloud?.close();
});

/** Returns the times of the steps, and the shown durations between them, in milliseconds. */
const times = async (): Promise<readonly number[]> => {
  const shown = await page.locator('.step time').evaluateAll((all) => all.map((one) => one.getAttribute('datetime')));
  return shown.map((at) => Date.parse(at ?? ''));
};

describe('the steps of a request', () => {
  beforeEach(async () => {
    await open(`/?request=order-1`);
  });

  it('are in the order in which they happened, with both attempts and the durations between them', async () => {
    await post('/sandbox/faults', { answers: { status: 503 } });
    await enqueueFor(USER, 'order-1', 'It arrives today.');
    await step(page, 'Status stored: delivered');
    await post(`${userPath(USER)}/read`, {});
    await step(page, 'Published MessageRead');
    await step(page, 'Published SendAccepted');

    const shown = (await steps(page)).filter((title) => !title.startsWith('Published'));
    expect(shown.slice(0, 7)).toEqual([
      'Request queued',
      'Decision: message/v3',
      'POST message/v3: 503',
      'Send state: waiting',
      'Decision: message/v3',
      'POST message/v3: 200',
      "Delivered to the user's device",
    ]);
    expect(shown.indexOf('Webhook attempt 1 (delivered): 200')).toBe(shown.indexOf('Status stored: delivered') - 1);
    expect(shown.slice(-3)).toEqual(['Read by the user', 'Webhook attempt 1 (read): 200', 'Status stored: read']);
    const happened = await times();
    expect(happened).toEqual(happened.toSorted((one, other) => one - other));
    // All but the first step with a time.
    expect(await page.locator('.step .since').allInnerTexts()).toHaveLength(happened.length - 1);
    expect(await page.locator('.timeline-heading').innerText()).toMatch(/\d (s|min) in \d+ steps|\d s in \d+ steps/);
  });

  it('copy an ID, a body in a stable order, and the link of the timeline', async () => {
    await step(page, 'Send state: accepted');
    await page.locator('.timeline-heading').getByRole('button', { name: 'Copy order-1' }).click();
    await page.getByText('Copied: order-1').waitFor();
    expect(await copied()).toBe('order-1');

    const accepted = page.locator('.step').filter({ hasText: 'Send state: accepted' });
    await accepted.getByText('Table item').click();
    await accepted.getByRole('button', { name: 'Copy table item' }).click();
    await page.getByText('Copied: table item').waitFor();
    const item = await copied();
    expect([...item.matchAll(/^ {2}"(\w+)":/gm)].map(([, name]) => name).slice(0, 3)).toEqual([
      'pk',
      'sk',
      'acceptedAt',
    ]);
    // The request in the item is shown as JSON, as the sender wrote it.
    expect(item).toContain('"messageText": "It arrives today."');
    expect(await accepted.locator('.json-key').count()).toBeGreaterThan(5);
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copied: link').waitFor();
    const link = new URL(await copied());
    expect([link.searchParams.get('user'), link.searchParams.get('request')]).toEqual([USER, 'order-1']);
  });

  it('link to the message, and from there back to the request', async () => {
    await page.locator('.timeline-heading dt').filter({ hasText: 'Message' }).waitFor();
    await page.locator('.timeline-heading .ids a').first().click();
    await page.getByRole('heading', { name: 'Message timeline' }).waitFor();
    await page.locator('.timeline-heading').getByRole('link', { name: 'order-1' }).click();
    await page.getByRole('heading', { name: 'Request timeline' }).waitFor();
  });
});

describe('a request whose message fails after it was accepted', () => {
  it('is shown as failed, after the status and with its code', async () => {
    const contact = '+5491155550103';
    await post(userPath(contact), { failWith: '131026' }, 'PATCH');
    await write(contact, 'Where is my parcel?');
    await open('/?request=order-failed');
    await enqueueFor(contact, 'order-failed', 'It arrives today.');
    await step(page, 'Published MessageFailed');
    await step(page, 'Send state: failed');

    const shown = (await steps(page)).filter((title) => !title.startsWith('Published'));
    // The status can arrive before the answer is recorded.
    expect(shown.filter((title) => title !== 'Send state: accepted').slice(-4)).toEqual([
      'Failed on the platform',
      'Webhook attempt 1 (error): 200',
      'Status stored: failed',
      'Send state: failed',
    ]);
    expect(shown.indexOf('Send state: accepted')).toBeLessThan(shown.indexOf('Send state: failed'));
    await page.getByText('Parley does not send it again.').waitFor();
    const row = page.locator('.request-row').filter({ hasText: 'order-failed' });
    await row.filter({ hasText: '131026' }).filter({ hasText: 'failed' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });
});

describe('a message that the user edits on the phone', () => {
  it('is marked as edited, and its timeline has the second event and every version', async () => {
    const contact = '+5491155550104';
    await write(contact, 'Yes, today');
    await page.getByRole('button', { name: 'Edit this message' }).click();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByLabel('New text').fill('No, tomorrow');
    await page.keyboard.press('Enter');

    await page.locator('.conversation .in').filter({ hasText: 'No, tomorrow' }).getByText('edited').waitFor();
    await step(page, 'Published MessageUpdated');
    await step(page, 'Edit stored');
    const shown = (await steps(page)).filter((title) => !title.startsWith('Published'));
    expect(shown.slice(-3)).toEqual(['User edited the message', 'Webhook attempt 1: 200', 'Edit stored']);
    const stored = page.locator('.step').filter({ hasText: 'Edit stored' });
    await stored.getByText('Version 1, modified at').click();
    await stored.locator('pre').filter({ hasText: '"Yes, today"' }).waitFor();
    await page.getByLabel('Message from the user').waitFor();
  });
});

describe('a linked request', () => {
  it('selects its user if the URL names none, although another user wrote last', async () => {
    await write(OTHER_USER, 'Hello');

    await open('/?request=order-1');

    await page.locator('.user[aria-current]').filter({ hasText: 'Ana' }).waitFor();
    expect(new URL(page.url()).searchParams.get('user')).toBe(USER);
  });

  it("links to its user's phone if another user is selected", async () => {
    await open(`/?request=order-1&user=${encodeURIComponent(OTHER_USER)}`);

    await page.locator('.timeline-heading').getByRole('link', { name: USER }).click();

    await page.locator('.user[aria-current]').filter({ hasText: 'Ana' }).waitFor();
    await step(page, 'Send state: accepted');
  });

  it('that does not exist says so', async () => {
    await open('/?request=unknown-1');

    await page.getByText('Request unknown-1 is not in the table.').waitFor();
  });
});

describe('a request that is refused because the window is closed', () => {
  it('is sent as a template in place, without an approved template at first, and the user reads it', async () => {
    await post('/sandbox/clock', { advanceSeconds: 25 * 3_600 });
    await open(`/?user=${encodeURIComponent(USER)}&request=order-2`);
    await enqueueFor(USER, 'order-2', 'Are you still there?');
    await step(page, 'Decision: WINDOW_CLOSED');
    const form = page.getByRole('region', { name: 'Send as template' });

    await form.getByRole('button', { name: 'Create a sample template' }).click();
    const name = form.getByLabel('${name}');
    await name.waitFor();
    expect(await name.inputValue()).toBe('Ana');
    await form.getByText('Hello Ana, your parcel arrives').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    // An empty variable is refused before the request is queued.
    await name.fill(' ');
    await form.getByRole('button', { name: 'Send as template' }).click();
    await page.getByText('Enter a value for ${name}.').waitFor();
    await name.fill('Ana María');
    await form.getByRole('button', { name: 'Send as template' }).click();

    await step(page, 'Decision: intent/v2');
    await step(page, 'Send state: accepted');
    expect(new URL(page.url()).searchParams.get('request')).toBe('order-2-template');
    // The form that had the focus is gone.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Request timeline');
    await page.locator('.conversation .out').filter({ hasText: 'Hello Ana María' }).waitFor();
    await post(`${userPath(USER)}/read`, {});
    await step(page, 'Read by the user');
  });

  it('gets another number if it is sent as a template again', async () => {
    await open(`/?user=${encodeURIComponent(USER)}&request=order-2`);

    await page.getByRole('button', { name: 'Send as template' }).click();

    await step(page, 'Send state: accepted');
    expect(new URL(page.url()).searchParams.get('request')).toBe('order-2-template-2');
  });
});

it('says what a waiting request waits for', async () => {
  await write(USER, 'Hello again');
  await post('/sandbox/account', { credit: 0 }, 'PATCH');
  await open(`/?user=${encodeURIComponent(USER)}&request=order-3`);
  await enqueueFor(USER, 'order-3', 'When there is credit.');

  await page.getByText('The request is waiting because the circuit breaker is open.').waitFor();
  await page.getByText('The next probe is due at').waitFor();
});

it('logs no errors and makes no requests to other origins', () => {
  expectNoProblems(opened);
});
