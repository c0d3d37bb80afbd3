import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { startChromium } from './chromium.ts';
import {
  accessibilityViolations,
  type ConsolePage,
  expectNoProblems,
  openConsole,
  writeAsUser,
} from './console-page.ts';
import { contactOf, populate } from './populate.ts';

const USER = '+5491155550001';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser?.close());

let sandbox: Sandbox;
let opened: ConsolePage;
let page: Page;

beforeEach(async () => {
  sandbox = await startSandbox({
    accessTokens: ['t'],
    chatPlatform: 'chat',
    chatChannelNumbers: ['+5491100000000'],
    webhook: undefined,
  });
  onTestFinished(() => sandbox.close());
  opened = await openConsole(browser, sandbox.url);
  page = opened.page;
  onTestFinished(() => page.context().close());
});

const enter = async (text: string) => {
  await page.getByRole('searchbox').fill(text);
  await page.keyboard.press('Enter');
};
const selectedUser = (contact: string) => page.locator('.user[aria-current]').filter({ hasText: contact }).waitFor();
const openPath = async (query: string) => {
  await page.goto(sandbox.url + query);
  await page.locator('.connection.live').waitFor();
};

describe('the search field', () => {
  it('adds a number that is written with spaces, once', async () => {
    await enter('+54 9 11 5555-0001');
    await selectedUser(USER);

    await enter('54\u00a09\u00a011\u00a05555\u00a00001');

    await selectedUser(USER);
    expect(await page.locator('.user').count()).toBe(1);
    await writeAsUser(page, 'Hello');
    expectNoProblems(opened);
  });

  it('refuses a number without a country code, with the sentence of Parley', async () => {
    await enter('(011) 4555 0001');

    await page.getByText('"(011) 4555 0001" starts with 0 instead of a country code; write it in').waitFor();
    expect(await page.locator('.user').count()).toBe(0);
  });

  it('says why a name adds no user, and adds a platform ID on request', async () => {
    await enter('ana');
    await page
      .getByText('"ana" is not a phone number. To add a user, enter a phone number such as +54 9 11 5555 0001.')
      .waitFor();
    expect(await page.getByRole('button', { name: 'as a platform ID' }).count()).toBe(0);

    await enter('CO.1000a');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add CO.1000a as a platform ID' }).click();

    await selectedUser('CO.1000a');
    await writeAsUser(page, 'Hello');
    expectNoProblems(opened);
  });
});

describe('the list of users', () => {
  it('no longer shows an open window once the clock is advanced past its end', async () => {
    await enter(USER);
    await writeAsUser(page, 'Hello');
    await page.locator('.avatar.open').waitFor();

    await page.getByRole('button', { name: '+ 25 h' }).click();

    await page.locator('.avatar:not(.open)').waitFor();
    await page.locator('.countdown').filter({ hasText: 'Closed' }).waitFor();
  });
});

describe("a user's URL", () => {
  it('offers to add a user that does not exist', async () => {
    await openPath(`?user=${encodeURIComponent(USER)}`);
    await page.getByText(`User ${USER} does not exist.`).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Add user' }).click();

    await selectedUser(USER);
    await writeAsUser(page, 'Hello');
    expectNoProblems(opened);
  });

  it('accepts the number in another form', async () => {
    await populate(sandbox.url, { users: 1, messages: 1 });

    await openPath(`?user=${contactOf(0).slice(1)}`);

    await selectedUser('User 0');
    expect(new URL(page.url()).searchParams.get('user')).toBe(contactOf(0));
    await writeAsUser(page, 'Hello');
  });

  it('shows a user who is not among the latest thousand', async () => {
    await populate(sandbox.url, { users: 1_001, messages: 1_001 });

    await openPath(`?user=${encodeURIComponent(contactOf(0))}`);

    await selectedUser('User 0');
    await page.locator('.bubble').getByText('Question 0').waitFor();
    expect(await page.locator('.user[aria-current] .preview').innerText()).toBe('Question 0');
  });
});

it("fits the phone's contact bar into 300 pixels", async () => {
  await page.setViewportSize({ width: 1024, height: 768 });

  const { height } = (await page.getByRole('button', { name: 'Mark all as read' }).boundingBox()) ?? { height: 0 };

  expect(height).toBeGreaterThan(0);
  expect(height).toBeLessThan(34);
});
