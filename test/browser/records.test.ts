import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resourcePath } from '../../cli/operations/resource-path.ts';
import { createLocalManagementClient } from '../../local/inspector/management-client.ts';
import { eventually } from '../support/eventually.ts';
import {
  accessibilityViolations,
  addUser,
  enqueue,
  expectNoProblems,
  type RunningConsole,
  startConsole,
  step,
  writeAsUser,
} from './console-page.ts';

// One truth on a screen: what Parley has recorded, beside the chat service's own.

const ANA = '+5491155550001';
const BEN = '+5491155550002';

/** Keeps the page's connections, to break them. */
const KEEP_FEEDS = `
  globalThis.feeds = [];
  globalThis.EventSource = class extends EventSource {
    constructor(url) {
      super(url);
      feeds.push(this);
    }
  };
`;

let opened: RunningConsole;
let page: Page;

const card = (title: string) =>
  page.locator('.card').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
const row = (text: string | RegExp) => page.locator('.request-row').filter({ hasText: text });
const tab = (name: string) => page.locator('.tabs').getByRole('link', { name });
const control = (path: string, body: unknown) =>
  fetch(`${opened.cloud.chatServiceUrl}/sandbox/${path}`, { method: 'POST', body: JSON.stringify(body) });
/** Writes a message of Ana's, and waits until its events and all earlier ones are on the page. */
const writeAsAna = async (text: string) => {
  await control(`users/${encodeURIComponent(ANA)}/messages`, { text });
  const isDone = async () => {
    const { pending } = Object(await (await fetch(`${opened.cloud.chatServiceUrl}/sandbox/state`)).json());
    return pending === 0 ? true : undefined;
  };
  await eventually(isDone);
  await page.locator('.event-row').filter({ hasText: text }).waitFor();
};

/** Makes the page lose its connections, as after a laptop's sleep. */
const reconnect = async () => {
  await page.evaluate(`feeds.splice(0).forEach((feed) => feed.dispatchEvent(new Event('error')))`);
  await page.locator('.connection:not(.live)').waitFor();
  await page.locator('.connection.live').waitFor();
};

beforeAll(async () => {
  const keywords = { languages: ['en' as const], confirmation: 'You get no more messages from us.' };
  opened = await startConsole({ keywords, operators: { echoField: 'OPERATOR_ID' }, window: { marginSeconds: 90 } });
  ({ page } = opened);
  await page.addInitScript(KEEP_FEEDS);
  await page.reload();
  await addUser(page, ANA);
  await writeAsUser(page, 'Where is my parcel?');
  await step(page, 'Published MessageReceived');
});
afterAll(() => opened?.close());

it('says which parts are the chat service’s and which are Parley’s', async () => {
  await page.getByRole('region', { name: 'Phone' }).getByRole('heading', { name: 'Chat service (sandbox)' }).waitFor();
  for (const name of ['Parley', 'Chat service (sandbox)']) {
    await page.getByRole('region', { name: 'Controls' }).getByRole('heading', { name, exact: true }).waitFor();
  }
  await page.locator('.tabs').getByText('Parley', { exact: true }).waitFor();
  await tab('Event log').click();
  await page.locator('.tabs').getByText('Chat service (sandbox)', { exact: true }).waitFor();
  await tab('This user').click();
});

it('names one end of the window, with the margin by which Parley closes it earlier', async () => {
  await enqueue(page, { text: 'It arrives today.' });
  await card('Send a request').getByText('Parley would call message/v3.').waitFor();
  await card('User').getByText('90 s before the chat service closes it').waitFor();

  const countdown = await card('User').locator('.countdown').innerText();

  expect(countdown).toMatch(/^23:5[78]:/);
  expect(await page.getByText(/closes on/).count()).toBe(0);
});

it('shows the furthest known status of a request in the lists, and filters by it', async () => {
  await row('delivered').waitFor();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await row('read').waitFor();

  await tab('All requests').click();
  await page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: 'read' }).click();

  await row('read').waitFor();
  expect(await row('accepted').count()).toBe(0);
  await tab('This user').click();
});

it('shows the end of a long ID, and all of it when pointed at', async () => {
  const id = 'order-2026-11-28-of-a-customer-with-a-long-name-0042';
  const body = { requestId: id, platformContactId: ANA, messageText: 'Ready.' };
  await fetch(`${opened.cloud.chatServiceUrl}/inspector/requests`, {
    method: 'POST',
    body: JSON.stringify({ body, groupId: ANA, deduplicationId: id }),
  });
  const shown = row('Ready.').locator('.id');
  await shown.waitFor();

  const cut = await shown.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element.lastChild ?? element);
    return range.getBoundingClientRect().right > element.getBoundingClientRect().right + 1;
  });

  expect([cut, await shown.getAttribute('title')]).toEqual([false, id]);
});

it('says why a call without an answer failed', async () => {
  // Otherwise, the call of the message before would fail.
  await row('Ready.')
    .filter({ hasText: /delivered|read/ })
    .waitFor();
  await control('faults', { answers: { reset: 'after' } });
  await enqueue(page, { text: 'Are you there?' });

  await step(page, 'POST message/v3: no answer');

  await page.getByText('so Parley does not know whether the message was accepted.').waitFor();
});

it('shows no ISO times', async () => {
  await step(page, 'Decision: message/v3');

  expect(await page.locator('body').innerText()).not.toMatch(/\d{4}-\d\d-\d\dT/);
});

it("has the user's consent and handover in one card, and nothing left to send after an opt-out", async () => {
  await card('User').getByText('none recorded').waitFor();
  await card('User').getByText('Automated systems answer').waitFor();

  await writeAsUser(page, 'STOP');

  await card('User').getByText('opted out', { exact: true }).waitFor();
  await card('User').locator('.countdown').getByText('Opted out').waitFor();
  expect(await card('User').getByText('left to send').count()).toBe(0);
  await row('You get no more messages from us.').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await writeAsUser(page, 'I have a question after all');
  await card('User').getByText('left to send').waitFor();
});

it('keeps nothing of a user whom Parley has erased, until the number is entered again', async () => {
  const { contact, name, text } = { contact: BEN, name: 'Benjamin Ortiz', text: 'My secret order' };
  await addUser(page, contact);
  await card('Phone').getByLabel('Name').fill(name);
  await page.keyboard.press('Tab');
  await writeAsUser(page, text);
  await step(page, 'Published MessageReceived');
  await enqueue(page, { text: 'Your secret reply' });
  await row('delivered').waitFor();
  await step(page, 'Published MessageDelivered');
  await page.locator('.controls-pane').getByLabel('Free-form text').fill('');

  const api = createLocalManagementClient(opened.cloud.managementUrl);
  await api('DELETE', resourcePath('contacts', 'platformContactId', contact));
  await page.locator('.notice').getByText('Parley has erased this user.').waitFor();
  await page.locator('.notice').getByRole('button', { name: 'Dismiss' }).click();

  const left = async () => {
    const html = `${await page.content()} ${page.url()}`;
    return [name, text, 'secret reply', contact, contact.slice(1)].filter((personal) => html.includes(personal));
  };
  await eventually(async () => ((await left()).length === 0 ? true : undefined));
  for (const list of ['All requests', 'Event log']) {
    await tab(list).click();
    await page.locator('.log-row').first().waitFor();
    expect([list, await left()]).toEqual([list, []]);
  }
  await tab('All requests').click();
  await page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: 'All' }).click();
  await row('Content erased').click();
  await step(page, 'Send state: accepted');
  expect(await left()).toEqual([]);

  // Neither a later event nor a new connection brings the user back.
  await tab('Event log').click();
  await control(`users/${encodeURIComponent(contact)}/read`, {});
  await writeAsAna('Is anybody there?');
  expect(await left()).toEqual([]);
  await reconnect();
  await writeAsAna('Hello again');
  expect(await left()).toEqual([]);

  // Nor does the browser's Back button, to where the user was selected.
  for (let step = 0; step < 10; step += 1) {
    await page.goBack();
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
    expect(await left()).toEqual([]);
  }

  await addUser(page, contact);
  await page.locator('.conversation .in').filter({ hasText: text }).waitFor();
  await card('User').getByText('Never opened').waitFor();
});

it('logs no errors', () => expectNoProblems(opened));
