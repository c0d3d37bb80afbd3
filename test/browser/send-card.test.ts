import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import {
  accessibilityViolations,
  addUser,
  expectNoProblems,
  type RunningConsole,
  startConsole,
  step,
  writeAsUser,
} from './console-page.ts';

let opened: RunningConsole;
let page: Page;

beforeAll(async () => {
  opened = await startConsole();
  ({ page } = opened);
  await addUser(page, '+5491155550001');
  await writeAsUser(page, 'Hello');
  await step(page, 'Published MessageReceived');
});
afterAll(() => opened?.close());

const card = () =>
  page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Send a request', exact: true }) });
const text = () => card().getByLabel('Free-form text');
const preview = () => card().locator('figure');
/** Handles the page's dry runs until the test ends. */
const interceptDryRuns = async (handle: (route: Route) => Promise<void>) => {
  await page.route('**/inspector/dry-runs', handle);
  onTestFinished(() => page.unroute('**/inspector/dry-runs'));
};
const send = () => card().getByRole('button', { name: 'Send request' }).click();

it('previews free-form text as the phone shows it while the window is open', async () => {
  await text().fill('It arrives *today*.');

  expect(await preview().locator('strong').innerText()).toBe('today');
  await preview().getByText('Free-form text, because the window is open').waitFor();
  await card().getByText('Parley would call message/v3.').waitFor();
});

it('asks Parley once for what was typed without a pause, and never beside another call', async () => {
  const asked: string[] = [];
  let running = 0;
  let most = 0;
  await interceptDryRuns(async (route) => {
    asked.push(route.request().postDataJSON().request.messageText);
    running += 1;
    most = Math.max(most, running);
    await route.continue();
    running -= 1;
  });

  await text().fill('');
  await text().pressSequentially('It arrives in the morning.');
  await card().getByText('Parley would call message/v3.').waitFor();

  expect(asked.at(-1)).toBe('It arrives in the morning.');
  expect(asked.length).toBeLessThan('It arrives in the morning.'.length);
  expect(most).toBe(1);
});

it('never shows the decision about an earlier text', async () => {
  const held = Promise.withResolvers<void>();
  const isAsked = Promise.withResolvers<void>();
  await interceptDryRuns(async (route) => {
    if (route.request().postDataJSON().request.messageText === 'Earlier') {
      isAsked.resolve();
      await held.promise;
      const decision = { decision: 'refused', code: 'STALE', why: 'An earlier text.' };
      return route.fulfill({ json: { kind: 'decided', decision } });
    }
    return route.continue();
  });

  await text().fill('Earlier');
  await isAsked.promise;
  await text().fill('It arrives *today*.');
  await card().getByText('Asking Parley').waitFor();
  held.resolve();

  await card().getByText('Parley would call message/v3.').waitFor();
  expect(await card().getByText('STALE').count()).toBe(0);
});

it('says in a sentence that Parley does not decide, and keeps the preview', async () => {
  const message = 'The management API cannot decide now: it does not respond.';
  await interceptDryRuns((route) => route.fulfill({ json: { kind: 'unavailable', message } }));

  await text().fill('It arrives *tomorrow*.');

  await card().getByRole('note').getByText(message).waitFor();
  await preview().getByText('Free-form text, because the window is open').waitFor();
});

it('asks again by itself until Parley decides, and shows the reason meanwhile', async () => {
  let calls = 0;
  await interceptDryRuns(async (route) => {
    calls += 1;
    if (calls > 2) return route.continue();
    return route.fulfill({ json: { kind: 'unavailable', message: `Unavailable, answer ${calls}.` } });
  });
  await text().fill('It arrives *in the evening*.');

  await card().getByRole('note').getByText('Unavailable, answer 2.').waitFor();
  await card().getByText('Parley would call message/v3.').waitFor();
});

it('says that the request would wait while an operator has stopped sending', async () => {
  const stage = (path: string, body: object) =>
    fetch(`${opened.cloud.chatServiceUrl}/inspector/${path}`, { method: 'POST', body: JSON.stringify(body) });
  await stage('stops', { note: 'A wrong price' });

  await card().getByRole('note').getByText('would wait, because an operator stopped sending').waitFor();
  await stage('resumptions', {});

  await card().getByRole('note').waitFor({ state: 'detached' });
});

it('decides again for another user, and when that user writes', async () => {
  await addUser(page, '+5491155550002');
  await card().getByRole('note').getByText('WINDOW_CLOSED').waitFor();

  await writeAsUser(page, 'Hello');

  await card().getByText('Parley would call message/v3.').waitFor();
  await page.getByRole('link', { name: '+5491155550001' }).first().click();
  await page.locator('.user[aria-current]').filter({ hasText: '+5491155550001' }).waitFor();
});

it('says why an empty request cannot be sent', async () => {
  await text().fill(' ');
  await send();

  await card().getByRole('alert').getByText('Enter text, choose a template, or add media.').waitFor();
  await text().fill('It arrives *today*.');
  await card().getByRole('alert').waitFor({ state: 'detached' });
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
  await preview().getByText('The template, because the window is closed').waitFor();
  await preview().getByText('Hello Ana, your parcel arrives today.').waitFor();

  await send();

  await step(page, 'Decision: intent/v2');
  await page.locator('.conversation .out').getByText('Hello Ana, your parcel arrives').waitFor();
  expectNoProblems(opened);
});
