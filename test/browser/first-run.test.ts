import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityViolations,
  expectNoProblems,
  openConsole,
  type RunningConsole,
  startConsole,
  step,
} from './console-page.ts';

// A new user's first minutes on a full local run, from an empty page.

let opened: RunningConsole;
let page: Page;

beforeAll(async () => {
  opened = await startConsole();
  ({ page } = opened);
});
afterAll(() => opened?.close());

const activity = () => page.getByRole('region', { name: 'Activity' });
const checklist = () => page.getByRole('region', { name: 'Get started' });
const item = (title: string) => checklist().getByRole('listitem').filter({ hasText: title });
const done = (title: string) => item(title).getByRole('img', { name: 'Done' }).waitFor();
const doneCount = (count: number) => checklist().getByText(`${count} of 5 done`).waitFor();

describe('an empty page', () => {
  it('offers a sample conversation and a checklist', async () => {
    await doneCount(0);
    await page.locator('.phone').getByRole('button', { name: 'Play a sample conversation' }).waitFor();

    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('says what has to happen before an item can', async () => {
    await item('You reply').getByRole('button', { name: 'Send a reply' }).press('Enter');

    await page.locator('.notice').getByText('A user must write first.').waitFor();
  });

  it('plays a conversation by one click: the user writes, Parley answers, the user reads', async () => {
    await page.locator('.phone').getByRole('button', { name: 'Play a sample conversation' }).click();

    await page.locator('.user[aria-current]').filter({ hasText: 'Ana Torres' }).waitFor();
    await page.locator('.conversation .in').getByText('parcel').waitFor();
    await page.locator('.conversation .out').getByRole('img', { name: 'Read' }).waitFor();
    await done('A user writes');
    await done('You reply with free-form text');
    await doneCount(2);
    expect(await activity().locator('.field-error').count()).toBe(0);
  });
});

describe('the checklist', () => {
  it('shows a refusal 25 hours later, with a link to its request', async () => {
    await item('25 hours later').getByRole('button', { name: 'Advance 25 h and send' }).click();
    await done('25 hours later');
    await page.locator('.countdown').getByText('Closed').waitFor();

    await item('25 hours later').getByRole('link', { name: 'Show the request' }).click();

    await step(page, 'Decision: WINDOW_CLOSED');
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('goes on above a timeline, without a template having been written, until the message is read', async () => {
    await activity().getByRole('complementary', { name: 'Get started' }).getByText('3 of 5 done').waitFor();
    await activity().getByRole('button', { name: 'Send a template' }).click();
    await page.locator('.conversation .out').getByText('Hello Ana, your parcel arrives').waitFor();
    await step(page, 'Decision: intent/v2');

    await activity().getByRole('button', { name: 'Read as the user' }).click();

    await page.locator('.conversation .out').last().getByRole('img', { name: 'Read' }).waitFor();
    await activity().getByRole('link', { name: 'Show the checklist' }).click();
    await doneCount(5);
    await item('The user reads it').getByRole('link', { name: 'Show the message' }).waitFor();
  });

  it('stays closed, also after the page is loaded again, until it is opened', async () => {
    await checklist().getByRole('button', { name: 'Close' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Timeline', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Open the get-started checklist' }).click();

    await doneCount(5);
  });

  it('starts over with a new service, in which old requests are still stored', async () => {
    await fetch(`${opened.cloud.chatServiceUrl}/sandbox/reset`, { method: 'POST' });
    await doneCount(0);
    await page.reload();
    await doneCount(0);

    await item('A user writes').getByRole('button', { name: 'Write as the user' }).click();

    await done('A user writes');
    await doneCount(1);
  });

  it('says why an action did not work', async () => {
    const contact = new URL(page.url()).searchParams.get('user') ?? '';
    const user = `${opened.cloud.chatServiceUrl}/sandbox/users/${encodeURIComponent(contact)}`;
    await fetch(user, { method: 'PATCH', body: '{"onPlatform":false}' });

    await item('You reply').getByRole('button', { name: 'Send a reply' }).click();

    await checklist()
      .getByText(/^console-\w+ is rejected, not accepted/)
      .waitFor();
  });

  it('logs no errors', () => expectNoProblems(opened));
});

it.each([1440, 1024, 375])('plays the conversation with the keyboard alone at a width of %d pixels', async (width) => {
  await fetch(`${opened.cloud.chatServiceUrl}/sandbox/reset`, { method: 'POST' });
  const { page: other } = await openConsole(opened.browser, opened.cloud.consoleUrl ?? '', {
    viewport: { width, height: 720 },
  });
  for (let press = 0; press < 40; press += 1) {
    await other.keyboard.press('Tab');
    if ((await other.evaluate<string>('document.activeElement.innerText')).startsWith('Play a sample')) break;
  }
  await other.keyboard.press('Enter');

  await other.locator('.conversation .out').last().getByRole('img', { name: 'Read' }).waitFor();
  expect(await accessibilityViolations(other)).toEqual([]);
  await other.context().close();
});
