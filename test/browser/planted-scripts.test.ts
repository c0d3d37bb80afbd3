import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalClient, type LocalClient } from '../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { eventually } from '../support/eventually.ts';
import { startTestCloud } from '../support/test-cloud.ts';
import { startChromium } from './chromium.ts';

// Plants scripts in everything that users, the business, and a client of the sandbox can write, and opens every view of
// the console. No script may run, and none may even become an element of the page: with a Content-Security-Policy alone,
// a mistake in the page would go unnoticed.

const RUN = 'window.planted=true;alert(1)';
/** Each part is marked, so that any that becomes an element can be found. */
const HTML =
  `"'></p></pre></title></textarea></option><img data-planted src=x onerror="${RUN}"><svg data-planted onload="${RUN}">` +
  `<script data-planted>${RUN}</script><iframe data-planted srcdoc="<script>parent.${RUN}</script>"></iframe>` +
  `<a data-planted href="javascript:${RUN}">x</a>\${${RUN}}{{${RUN}}}`;
/** HTML that fits where no spaces are allowed. */
const WORD = `<img/data-planted/src=x/onerror=${RUN}>`;
const SCRIPT_ADDRESSES = [
  `javascript:${RUN}`,
  `JavaScript://x.example/%0a${RUN}`,
  `data:text/html,<script data-planted>${RUN}</script>`,
  `data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"/>`,
  `https://x.example/"onmouseover="${RUN}" data-planted="/%E0%A4%A`,
];

let cloud: LocalCloud;
let client: LocalClient;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Dialogs, windows, violations of the policy, and errors. */
const incidents: string[] = [];

const call = (method: string, path: string, body: unknown) => client.control(method, path, body);
const user = (contact: string) => `/users/${encodeURIComponent(contact)}`;
const callApi = (path: string, body: unknown) =>
  fetch(`${cloud.chatServiceUrl}/api/v1.0${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'access-token': TOKEN },
    body: JSON.stringify(body),
  });

const TOKEN = 'token-of-the-test';
const CONTACTS = ['+5491155550077', WORD];

const plant = async (): Promise<void> => {
  await call('POST', '/access-tokens', { accessToken: TOKEN });
  await call('PUT', `/rules/${encodeURIComponent(HTML)}`, { text: HTML, status: 'approved', category: 'payment' });
  await call('PUT', `/templates/${encodeURIComponent(`${HTML} submitted`)}`, { text: HTML, category: 'payment' });
  await call('PUT', `/templates/${encodeURIComponent(`${HTML} refused`)}`, { text: HTML, category: HTML });
  await call('PUT', `/templates/${encodeURIComponent(`${HTML} rejected`)}`, { text: HTML, category: 'payment' });
  const decision = `/templates/${encodeURIComponent(`${HTML} rejected`)}/decision`;
  await call('POST', decision, { approve: false, why: HTML });
  for (const [index, contact] of CONTACTS.entries()) {
    await call('PATCH', user(contact), { name: `User ${index} ${HTML}` });
    await call('POST', `${user(contact)}/messages`, { text: HTML });
    const ownImage = `${cloud.chatServiceUrl}/samples/parcel.jpg?${encodeURIComponent(HTML)}#"onerror="${RUN}`;
    const urls = [...SCRIPT_ADDRESSES, ownImage];
    await call('POST', `${user(contact)}/messages`, { imageUrls: urls, audioUrls: urls, fileUrls: urls });
    const address = { chatPlatform: 'chat', chatChannelNumber: '+5491100000000', platformContactId: contact };
    const media = { imageURL: `https://x.example/${HTML}.png`, fileURL: `https://x.example/${WORD}` };
    await callApi('/message/v3', { ...address, messageText: HTML, ...media, [HTML]: HTML });
    await callApi('/intent/v2', { ...address, ruleNameOrId: HTML, params: { [RUN]: HTML } });
    await callApi('/intent/v2', { ...address, ruleNameOrId: `${HTML} unknown` });
    // The service's error reaches the customer's side, which stores it as the outcome.
    const body = { error: { code: 999, message: HTML } };
    await call('POST', '/faults', { answers: { status: 400, body, headers: { 'content-type': 'text/html' } } });
    await client.enqueue({
      requestId: `${WORD}${contact.length}`,
      platformContactId: CONTACTS[0] ?? '',
      messageText: HTML,
    });
    await client.enqueue({
      requestId: `second-${contact.length}`,
      platformContactId: CONTACTS[0] ?? '',
      messageText: HTML,
    });
  }
  await client.putMessage(cloud.sendQueueUrl, HTML, { groupId: 'group', id: 'not-a-request' });
  await call('POST', '/events', { [HTML]: HTML, event: HTML });
  await call('POST', '/events', { _id_: HTML, FROM: HTML, FROM_NAME: HTML, MESSAGE: HTML, STATUS: HTML });
  for (const queue of [cloud.sendDeadLetterQueueUrl, cloud.inboundDeadLetterQueueUrl]) {
    await eventually(async () => ((await client.queueDepth(queue)) > 0 ? true : undefined));
  }
};

beforeAll(async () => {
  [cloud, browser] = await Promise.all([startTestCloud(), startChromium()]);
  client = createLocalClient(cloud);
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  context.on('dialog', async (dialog) => {
    incidents.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  context.on('weberror', (error) => incidents.push(`error: ${error.error().message}`));
  page = await context.newPage();
  context.on('page', (opened) => incidents.push(`window: ${opened.url()}`));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) incidents.push(`violation: ${message.text()}`);
  });
  page.setDefaultTimeout(20_000);
  await page.goto(`${cloud.consoleUrl}?text=${encodeURIComponent(HTML)}`);
  await page.locator('.connection.live').waitFor();
  await plant();
  await page.locator('.user').nth(1).waitFor();
});
afterAll(async () => {
  client?.close();
  await browser?.close();
  await cloud?.close();
});

interface Findings {
  readonly ran: boolean;
  readonly elements: readonly string[];
  readonly links: readonly string[];
  readonly handlers: readonly string[];
}

/** Returns what a planted script left in the page. */
const findings = (): Promise<Findings> =>
  page.evaluate<Findings>(`({
    ran: 'planted' in window,
    elements: [...document.querySelectorAll(
      '[data-planted], iframe, object, embed, base, meta[http-equiv], script:not([src^="/assets/"]), style',
    )].map((element) => element.outerHTML),
    links: [...document.querySelectorAll('[href], [src], [action], [formaction]')]
      .flatMap((element) => ['href', 'src', 'action', 'formaction'].map((name) => element[name] ?? ''))
      .filter((address) => typeof address === 'string' && /^(?!https?:)[^:/]*:/i.test(address)),
    handlers: [...document.querySelectorAll('*')]
      .flatMap((element) => element.getAttributeNames().filter((name) => /^on/i.test(name))),
  })`);

const NOTHING: Findings = { ran: false, elements: [], links: [], handlers: [] };

/** Opens every collapsed part of the page. */
const expandAll = () =>
  page.evaluate(`document.querySelectorAll('details:not([open])').forEach((element) => { element.open = true; })`);

const expectNothingRan = async (view: string): Promise<void> => {
  expect([view, await findings(), incidents]).toEqual([view, NOTHING, []]);
};

/** Clicks each of some elements, and everything that it shows. */
const visitEach = async (view: string, selector: string): Promise<number> => {
  const count = await page.locator(selector).count();
  for (let index = 0; index < count; index += 1) {
    // Clicks at the edge, because a bubble's attachments are links themselves.
    await page
      .locator(selector)
      .nth(index)
      .click({ position: { x: 4, y: 18 } });
    await page.locator('.timeline h2').waitFor();
    await expandAll();
    await expectNothingRan(`${view} ${index}`);
  }
  return count;
};

it('runs no script in a name, a text, an address, or an ID on the phone', async () => {
  await expectNothingRan('start');
  let messages = 0;
  for (let index = 0; index < CONTACTS.length; index += 1) {
    await page.locator('.user').nth(index).click();
    await page.locator('.bubble .text').first().waitFor();
    await expectNothingRan(`user ${index}`);
    messages += await visitEach('message', '.bubble .select');
  }

  expect(messages).toBeGreaterThanOrEqual(6);
  // The scripts are there, as text.
  expect(await page.locator('.bubble .text').first().innerText()).toContain('<img data-planted');
  expect(await page.locator('.user .name').first().innerText()).toContain('<img data-planted');
  expect(await page.locator('.attachment:not([href])').count()).toBeGreaterThan(5);
});

it('runs no script in an address that is clicked', async () => {
  for (const attachment of await page.locator('.attachment:not([href])').all()) await attachment.click({ force: true });

  await expectNothingRan('attachments');
});

it('runs no script in a request, a decision, an answer, or a table item', async () => {
  await page.locator('.user').filter({ hasText: 'User 0' }).click();
  await page.getByRole('link', { name: 'This user' }).click();
  const planted = page.locator('.log-row').filter({ hasText: 'img/data-planted' });
  await planted.nth(1).waitFor();

  expect(await visitEach('request', '.log-row')).toBe(4);

  await planted.first().click();
  await page.locator('.step').filter({ hasText: 'Send state' }).waitFor();
  await expandAll();
  await expectNothingRan('steps of a request');
  expect(await page.locator('.timeline').innerText()).toContain('<img data-planted');
});

it('runs no script in an event', async () => {
  await page.getByRole('link', { name: 'Event log' }).click();
  await page.locator('a.log-row').first().waitFor();

  expect(await visitEach('event', 'a.log-row')).toBeGreaterThan(5);
  // The log shows the latest events, and other users' events may have followed.
  await call('POST', `${user(WORD)}/messages`, { text: HTML });
  await page.locator('.log').getByText('data-planted').first().waitFor();
});

it('runs no script in a template, a rule, or a dead letter', async () => {
  await page.locator('.tabs').getByRole('link', { name: 'Dead letters' }).click();
  await page.locator('.dead-letters summary').first().waitFor();
  await expandAll();
  await page.locator('.dead-letters pre').first().waitFor();
  await expectNothingRan('controls and dead letters');
  expect(await page.locator('.templates').innerText()).toContain('<img data-planted');
  expect(await page.locator('.dead-letters').first().innerText()).toContain('data-planted');

  await page.locator('.controls-pane').getByRole('combobox', { name: 'Template' }).selectOption(HTML);
  await expectNothingRan('variables of a template');
  for (const name of ['Approve', 'Create link', 'Redrive all requests', 'Send request']) {
    await page.getByRole('button', { name }).first().click();
    await page.locator('.notice p, .link a').first().waitFor();
    await expectNothingRan(name);
  }
});

it('runs no script in a click-to-chat link, or in a response that is opened directly', async () => {
  expect(await page.getByLabel('Message from the user').inputValue()).toContain('<img data-planted');
  const paths = [
    `/chat/5491100000000?text=${encodeURIComponent(HTML)}`,
    `/chat/${encodeURIComponent(HTML)}`,
    '/sandbox/state',
    '/sandbox/outbox',
    '/sandbox/calls',
    '/sandbox/templates',
    `/sandbox/${encodeURIComponent(HTML)}`,
    `/inspector/requests/${encodeURIComponent(HTML)}`,
    `/console/messages/${encodeURIComponent(HTML)}`,
    `/console/calls/${encodeURIComponent(HTML)}`,
  ];
  for (const path of paths) {
    await page.goto(new URL(path, cloud.consoleUrl).href);
    // The browser's own viewer of JSON and images has elements of its own.
    const marked = await page.evaluate(`[window.planted, document.querySelectorAll('[data-planted]').length]`);
    expect([path, marked, incidents]).toEqual([path, [undefined, 0], []]);
  }
});
