import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { eventually } from '../support/eventually.ts';
import { startTestCloud } from '../support/test-cloud.ts';
import { startChromium } from './chromium.ts';
import { type ConsolePage, openConsole } from './console-page.ts';

// What happens to people who click twice, or who go on before the server has answered.

const ANA = '+5491155550601';
const BEN = '+5491155550602';

let cloud: LocalCloud;
let browser: Browser;
let view: ConsolePage;
let page: Page;

beforeAll(async () => {
  [cloud, browser] = await Promise.all([startTestCloud(), startChromium()]);
  for (const contact of [ANA, BEN]) await call('PATCH', userPath(contact), {});
  view = await openConsole(browser, `${cloud.consoleUrl}?user=${encodeURIComponent(ANA)}`);
  ({ page } = view);
});
afterEach(() => page.unrouteAll({ behavior: 'wait' }));
afterAll(async () => {
  await browser?.close();
  await cloud?.close();
});

const call = async (method: string, path: string, body?: unknown) => {
  const init = { method, body: body === undefined ? undefined : JSON.stringify(body) };
  return (await fetch(`${cloud.chatServiceUrl}${path}`, init)).json();
};
const userPath = (contact: string): string => `/sandbox/users/${encodeURIComponent(contact)}`;

/** Holds the page's calls to some addresses until the returned function is called. */
const hold = async (address: string) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const calls: string[] = [];
  await page.route(address, async (route: Route) => {
    calls.push(route.request().method());
    await promise;
    await route.continue();
  });
  return { calls, release: resolve };
};

const select = (contact: string) => page.locator('.user').filter({ hasText: contact }).click();
const write = async (text: string): Promise<void> => {
  await page.getByLabel('Message from the user').fill(text);
  await page.getByRole('button', { name: 'Send as user' }).click();
};
const enqueueRaw = (body: string, id: string) =>
  call('POST', '/inspector/requests', { body, groupId: ANA, deduplicationId: id });
const searchOf = (): URLSearchParams => new URL(page.url()).searchParams;

it('sends a message of the user once, however often the button is pressed', async () => {
  const { calls, release } = await hold('**/messages');
  await page.getByLabel('Message from the user').fill('Once');

  await page.getByRole('button', { name: 'Send as user' }).dblclick();
  await page.getByLabel('Message from the user').press('Enter');
  release();
  await page.locator('.conversation .in').filter({ hasText: 'Once' }).waitFor();

  expect(calls).toEqual(['POST']);
  await write('Again');
  await page.locator('.conversation .in').filter({ hasText: 'Again' }).waitFor();
});

it('puts a request on the queue once, however often the button is pressed', async () => {
  const { calls, release } = await hold('**/inspector/requests');

  await page.getByRole('button', { name: 'Send request' }).dblclick();
  release();
  await page.locator('.step').filter({ hasText: 'Send state' }).waitFor();

  expect(calls).toEqual(['POST']);
});

it('disables a button until its action has ended', async () => {
  const button = (name: string, disabled: boolean) => page.getByRole('button', { name, exact: true, disabled });
  const { release } = await hold('**/messages');
  await write('Wait');

  await button('Send as user', true).waitFor();
  release();
  await button('Send as user', false).waitFor();

  const clock = await hold('**/clock');
  await button('+ 1 min', false).click();

  await button('+ 1 min', true).waitFor();
  clock.release();
  await button('+ 1 min', false).waitFor();
});

it('discards a dead letter once, however often the button is pressed', async () => {
  await enqueueRaw('not a request', 'dead-1');
  await page.getByRole('link', { name: 'Dead letters', exact: true }).click();
  const { calls, release } = await hold('**/dead-letters/send/*');

  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('button', { name: 'Discard' }).dblclick();
  release();
  await page.getByText('There are none.').waitFor();

  expect(calls).toEqual(['DELETE']);
  expect(await page.locator('.notice').innerText()).toContain('Dead letter discarded.');
});

it('redrives a dead letter once, however often the button is pressed', async () => {
  await enqueueRaw('not a request', 'dead-2');
  const { calls, release } = await hold('**/redrive');

  await page.getByRole('button', { name: 'Redrive', exact: true }).dblclick();
  release();
  await page.locator('.notice').getByText('Moved back').waitFor();

  expect(calls).toEqual(['POST']);
});

it('shows the timeline that Back returns to at once, then reloads it', async () => {
  const ids = ['back-1', 'back-2'] as const;
  for (const id of ids)
    await enqueueRaw(JSON.stringify({ requestId: id, platformContactId: ANA, messageText: id }), id);
  await page.getByRole('link', { name: 'All requests', exact: true }).click();
  for (const id of ids) {
    await page.locator('.request-row').filter({ hasText: id }).click();
    await page.locator('.timeline').getByText(id).first().waitFor();
    await page.locator('.step').filter({ hasText: 'Send state' }).first().waitFor();
  }
  const { release, calls } = await hold('**/inspector/requests/back-1');

  await page.goBack();
  await page.locator('.timeline').filter({ hasText: 'back-1' }).locator('.step').first().waitFor();
  await eventually(() => calls.length > 0 || undefined);
  release();

  expect(searchOf().get('request')).toBe('back-1');
});

it('stays with the user who was selected while a message was sent', async () => {
  await select(ANA);
  const { release, calls } = await hold('**/messages');
  await write('Slow');
  await eventually(() => calls.length > 0 || undefined);

  await select(BEN);
  release();
  await page.locator('.user').filter({ hasText: ANA }).filter({ hasText: 'Slow' }).waitFor();

  expect(searchOf().get('user')).toBe(BEN);
  expect(searchOf().get('message')).toBeNull();
});

it('shows a message that arrives while the conversation is loaded', async () => {
  await select(ANA);
  const loaded = Promise.withResolvers<void>();
  const shown = Promise.withResolvers<void>();
  await page.route('**/conversation*', async (route: Route) => {
    const response = await route.fetch();
    loaded.resolve();
    await shown.promise;
    await route.fulfill({ response });
  });
  await select(BEN);
  await loaded.promise;
  const message = (text: string) => page.locator('.conversation .in').filter({ hasText: text });

  await call('POST', `${userPath(BEN)}/messages`, { text: 'Meanwhile' });
  await message('Meanwhile').waitFor();
  const response = page.waitForResponse('**/conversation*');
  shown.resolve();
  await response;
  await call('POST', `${userPath(BEN)}/messages`, { text: 'Afterwards' });
  await message('Afterwards').waitFor();

  expect(await message('Meanwhile').count()).toBe(1);
});

it('loads the requests once when the page is opened', async () => {
  const paths: string[] = [];
  page.on('request', (request) => paths.push(request.url()));

  await page.goto(cloud.consoleUrl ?? '');
  await page.locator('.connection.live').waitFor();

  expect(paths.filter((path) => path.includes('/inspector/sends?contact='))).toHaveLength(1);
});

it('never shows one item’s timeline or conversation under another', async () => {
  const { _id_: first } = await call('POST', `${userPath(ANA)}/messages`, { text: 'From Ana' });
  const { _id_: second } = await call('POST', `${userPath(BEN)}/messages`, { text: 'From Ben' });
  await select(BEN);
  await page.locator('.conversation').getByText('From Ben').waitFor();
  const messages = await hold(`**/console/messages/${first}`);
  const conversations = await hold(`**${userPath(ANA)}/conversation*`);

  await select(ANA);
  await page.getByRole('link', { name: 'Event log' }).click();
  await page.locator('a.log-row').filter({ hasText: ANA }).first().click();
  await select(BEN);
  await page
    .locator('.conversation')
    .getByRole('link', { name: /From Ben/ })
    .click();
  messages.release();
  conversations.release();
  await page.locator('.timeline').getByText(second).first().waitFor();

  expect(await page.locator('.timeline').innerText()).not.toContain(first);
  expect(await page.locator('.conversation').innerText()).not.toContain('From Ana');
  await page.goBack();
  await page.goBack();
  expect(searchOf().get('user')).toBe(ANA);
  await page.locator('.conversation').getByText('From Ana').waitFor();
});

it('keeps the timeline and says why it cannot be loaded', async () => {
  const { _id_: id } = await call('POST', `${userPath(BEN)}/messages`, { text: 'Known' });
  await select(BEN);
  await page.locator('.conversation').getByRole('link', { name: /Known/ }).click();
  await page.locator('.step').first().waitFor();
  const count = await page.locator('.step').count();
  const body = JSON.stringify({ error: { code: 502, message: "The customer's side failed: socket hang up." } });
  await page.route('**/inspector/messages/*', (route) => route.fulfill({ status: 502, body }));

  await call('POST', `${userPath(BEN)}/read`);
  await call('POST', '/sandbox/events', { _id_: id, STATUS: 'read', FROM: BEN });
  await page.locator('.notice').getByText("The customer's side failed: socket hang up.").waitFor();

  expect(await page.locator('.step').count()).toBeGreaterThanOrEqual(count);
});

it('links to IDs with halves of surrogate pairs', async () => {
  await fetch(`${cloud.chatServiceUrl}/sandbox/events`, { method: 'POST', body: '{"_id_":"half \\ud800","FROM":"x"}' });
  await page.getByRole('link', { name: 'Event log' }).click();

  await page.locator('a.log-row[href*="half"]').first().click();
  await page.locator('.timeline').getByText('half').first().waitFor();

  // The failure of the test before is a problem too.
  expect(view.problems.filter((problem) => problem.startsWith('error:'))).toEqual([]);
});

it('wraps long names and IDs', async () => {
  const long = 'W'.repeat(128);
  await call('PATCH', userPath(long), { name: `😀${long}` });
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 1024, height: 768 },
    { width: 375, height: 700 },
  ]) {
    await page.setViewportSize(viewport);
    for (const query of [`user=${long}&request=${long}`, `user=${long}${long}&tab=dead-letters`]) {
      await page.goto(`${cloud.consoleUrl}?${query}`);
      await page.locator('.connection.live').waitFor();
      await page.locator('.phone').waitFor({ state: 'attached' });
      const tooWide = await page.evaluate<
        string[]
      >(`['html', '.pane', '.phone', '.timeline', '.controls', '.status-bar']
        .flatMap((selector) => [...document.querySelectorAll(selector)])
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
        .map(({ className, scrollWidth, clientWidth }) => className + ' ' + scrollWidth + ' > ' + clientWidth)`);
      expect([viewport.width, query.length, tooWide]).toEqual([viewport.width, query.length, []]);
    }
  }
  expect(await page.locator('.avatar').allInnerTexts()).toContain('😀');
});
