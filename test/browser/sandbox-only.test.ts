import { createServer } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listenLocally } from '../../local/base/listen-locally.ts';
import { type Sandbox, startSandbox, type WebhookSettings } from '../../sandbox/sandbox.ts';
import { startChromium } from './chromium.ts';
import {
  accessibilityViolations,
  addUser,
  elements,
  expectNoProblems,
  openConsole,
  step,
  steps,
  writeAsUser,
} from './console-page.ts';
import { populate } from './populate.ts';

const CHANNEL = '+5491100000000';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser?.close());

const start = async (webhook?: WebhookSettings): Promise<Sandbox> => {
  const sandbox = await startSandbox({
    accessTokens: ['t'],
    chatPlatform: 'chat',
    chatChannelNumbers: [CHANNEL],
    webhook,
  });
  onTestFinished(() => sandbox.close());
  return sandbox;
};

describe('console of a sandbox without the local stack', () => {
  it('hides what needs the local stack and explains how to start it', async () => {
    const opened = await openConsole(browser, (await start()).url);

    expect(await opened.page.locator('.sandbox-only').innerText()).toContain('Only the sandbox is running.');
    expect(await opened.page.getByText('Dead letters').count()).toBe(0);
    expectNoProblems(opened);
  });

  it('can be operated with the keyboard only', async () => {
    const opened = await openConsole(browser, (await start()).url);
    const { page } = opened;
    const tabTo = async (selector: string) => {
      for (let press = 0; press < 40; press += 1) {
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Pressing Tab does not reach ${selector}.`);
    };

    await tabTo('.search input');
    await page.keyboard.type('+5491155550007');
    await page.keyboard.press('Enter');
    await page.locator('.user[aria-current]').waitFor();
    await tabTo('.composer textarea');
    await page.keyboard.type('First');
    await page.keyboard.press('Enter');
    await page.locator('.conversation .in').filter({ hasText: 'First' }).waitFor();
    await page.keyboard.type('Second');
    await page.keyboard.press('Enter');
    await page.locator('.conversation .in').filter({ hasText: 'Second' }).waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.locator('.bubble.selected').filter({ hasText: 'First' }).waitFor();
    await page.locator('.step').first().waitFor();

    expect((await steps(page))[0]).toBe('User sent a message');
    await tabTo('.advance');
    await page.keyboard.press('Enter');
    await page.getByText('Clock advanced by 1 min.').waitFor();
    expectNoProblems(opened);
  });

  it('moves the focus from one pane to another with a skip link', async () => {
    const opened = await openConsole(browser, (await start()).url);
    const { page } = opened;
    const skipTo = (name: string) => page.locator(':focus').and(page.getByRole('button', { name: `Skip to ${name}` }));

    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await skipTo('controls').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await skipTo('phone').waitFor();
    await page.keyboard.press('Enter');

    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Phone');
    expectNoProblems(opened);
  });

  it('moves between users with the arrow keys and keeps the focus on the selected one', async () => {
    const sandbox = await start();
    await populate(sandbox.url, { users: 40, messages: 40 });
    const { page } = await openConsole(browser, sandbox.url);

    await page.locator('.user[aria-current]').focus();
    const before = await page.locator('.user[aria-current]').innerText();
    for (let press = 0; press < 12; press += 1) {
      const current = await page.locator('.user[aria-current]').innerText();
      await page.keyboard.press('ArrowDown');
      const isNext = `document.activeElement.matches('[aria-current]') &&
        document.activeElement.innerText !== ${JSON.stringify(current)}`;
      await expect.poll(() => page.evaluate(isNext), { timeout: 20_000 }).toBe(true);
    }

    expect(await page.locator('.user[aria-current]').innerText()).not.toBe(before);
  });

  it('shows attachments from its own origin and links to others without requesting them', async () => {
    const sandbox = await start();
    const opened = await openConsole(browser, sandbox.url);
    const { page } = opened;
    await page.getByPlaceholder('Find a user').fill('+5491155550008');
    await page.keyboard.press('Enter');
    for (const kind of ['Photo', 'Audio', 'Document']) {
      await page.getByRole('button', { name: 'Attach by URL' }).click();
      await page.getByLabel('Attachment type').selectOption(kind);
      await writeAsUser(page, `My ${kind}`);
    }
    await page.getByRole('button', { name: 'Attach by URL' }).click();
    await page.getByLabel('Attachment URL').fill('https://media.example/far-away.png');
    await writeAsUser(page, 'Elsewhere');

    expect(await page.evaluate(`document.querySelector('.photo').naturalWidth`)).toBe(480);
    expect(await page.locator('.bubble audio').count()).toBe(1);
    expect(await page.locator('.attachment .name').allInnerTexts()).toEqual(['waybill.pdf', 'far-away.png']);
    expect(await accessibilityViolations(page)).toEqual([]);
    expectNoProblems(opened);
  });

  it('shows the error message when the service refuses an action', async () => {
    const sandbox = await start();
    const { page } = await openConsole(browser, sandbox.url);
    await page.getByPlaceholder('Find a user').fill('+5491155550009');
    await page.keyboard.press('Enter');
    await page.getByLabel('On the chat platform').uncheck();
    await page.locator('.switch input:not(:checked)').first().waitFor();

    await page.getByLabel('Message from the user').fill('Hello?');
    await page.keyboard.press('Enter');

    await page.getByText('is not on the platform; PATCH onPlatform to true first.').waitFor();
  });

  it('shows that an event has expired after 7 days without an acknowledgement', async () => {
    const unavailableWebhook = createServer((request, response) => {
      request.resume();
      response.writeHead(503).end();
    });
    const webhook = await listenLocally(unavailableWebhook);
    onTestFinished(() => webhook.close());
    const sandbox = await start({ url: webhook.url, auth: { kind: 'none' } });
    const opened = await openConsole(browser, sandbox.url);
    const { page } = opened;
    await addUser(page, '+5491155550006');
    await writeAsUser(page, 'Is anyone there?');
    await step(page, 'Webhook attempt 1: 503');

    await page.getByRole('button', { name: '+ 7 days' }).click();

    await step(page, 'Event dropped: not acknowledged');
    await page.getByText('1 expired event', { exact: true }).waitFor();
    expectNoProblems(opened);
  });

  it('opens a click-to-chat link with its prefilled text', async () => {
    const opened = await openConsole(browser, (await start()).url);
    const { page } = opened;
    await page.getByText('Click-to-chat link').click();
    await page.getByLabel('Prefilled text').fill('I followed the link.');
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.locator('.link a').click();
    await page.locator('.connection.live').waitFor();
    await addUser(page, '+5491155550005');

    expect(await page.getByLabel('Message from the user').inputValue()).toBe('I followed the link.');
    await page.getByRole('button', { name: 'Send as user' }).click();
    await page.locator('.bubble').filter({ hasText: 'I followed the link.' }).waitFor();
    expectNoProblems(opened);
  });

  it('shows that the connection is lost when the sandbox stops', async () => {
    const sandbox = await start();
    const { page } = await openConsole(browser, sandbox.url);

    await sandbox.close();

    await page.getByText('Connection lost. Reconnecting…').waitFor();
  });
});

describe('console with 1,000 users and 2,500 messages', () => {
  it('keeps the page small and can reach every user and message', async () => {
    const sandbox = await start();
    await populate(sandbox.url, { users: 1_000, messages: 2_500, talkative: 700 });
    const opened = await openConsole(browser, sandbox.url);
    const { page } = opened;

    expect(await elements(page)).toBeLessThan(1_500);
    expect(await page.locator('.virtual-list-rows li').first().getAttribute('aria-setsize')).toBe('1000');
    await page.locator('.users .virtual-list').evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await page.locator('.virtual-list-rows li[aria-posinset="1000"]').waitFor();
    await page.getByPlaceholder('Find a user').fill('User 0 ');
    await page.keyboard.press('Enter');
    for (let pageIndex = 0; pageIndex < 13; pageIndex += 1) {
      await page.getByRole('button', { name: 'Load earlier messages' }).click();
      expect(await page.locator('.conversation li').count()).toBeLessThanOrEqual(150);
    }
    await page.locator('.bubble').getByText('Message 0 of User 0').waitFor();
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await page.locator('.bubble').getByText('Message 699 of User 0').waitFor();
    expect(await elements(page)).toBeLessThan(1_500);
    expectNoProblems(opened);
  });
});
