import { createServer } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listenLocally } from '../../local/listen-locally.ts';
import { type Sandbox, startSandbox, type WebhookSettings } from '../../sandbox/sandbox.ts';
import { accessibilityFaults } from './accessibility.ts';
import { startChromium } from './chromium.ts';
import { becomeUser, elements, expectNoComplaints, openConsole, step, steps, writeAsUser } from './console-page.ts';
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

describe('the sandbox alone', () => {
  it('shows its own parts and says that there are more', async () => {
    const opened = await openConsole(browser, (await start()).url);

    expect(await opened.page.locator('.alone').innerText()).toContain('The service runs alone.');
    expect(await opened.page.getByText('Dead letters').count()).toBe(0);
    expectNoComplaints(opened);
  });

  it('can be worked by keyboard alone', async () => {
    const opened = await openConsole(browser, (await start()).url);
    const { page } = opened;
    const tabTo = async (selector: string) => {
      for (let press = 0; press < 40; press += 1) {
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`The Tab key does not come to ${selector}.`);
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
    await page.locator('.bubble.chosen').filter({ hasText: 'First' }).waitFor();
    await page.locator('.step').first().waitFor();

    expect((await steps(page))[0]).toBe('The user writes');
    await tabTo('.advance');
    await page.keyboard.press('Enter');
    await page.getByText('The clock went ahead by 1 min.').waitFor();
    expectNoComplaints(opened);
  });

  it('goes from user to user by the arrow keys, and keeps the focus with the chosen one', async () => {
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

  it('shows attachments of this machine, and names those of any other without asking for them', async () => {
    const sandbox = await start();
    const opened = await openConsole(browser, sandbox.url);
    const { page } = opened;
    await page.getByPlaceholder('Find a user').fill('+5491155550008');
    await page.keyboard.press('Enter');
    for (const kind of ['Photo', 'Audio', 'Document']) {
      await page.getByRole('button', { name: 'Attach by address' }).click();
      await page.getByLabel('Kind of attachment').selectOption(kind);
      await writeAsUser(page, `My ${kind}`);
    }
    await page.getByRole('button', { name: 'Attach by address' }).click();
    await page.getByLabel('Address of the attachment').fill('https://media.example/far-away.png');
    await writeAsUser(page, 'Elsewhere');

    expect(await page.evaluate(`document.querySelector('.photo').naturalWidth`)).toBe(480);
    expect(await page.locator('.bubble audio').count()).toBe(1);
    expect(await page.locator('.attachment .name').allInnerTexts()).toEqual(['waybill.pdf', 'far-away.png']);
    expect(await accessibilityFaults(page)).toEqual([]);
    expectNoComplaints(opened);
  });

  it('says in a sentence what the service refuses', async () => {
    const sandbox = await start();
    const { page } = await openConsole(browser, sandbox.url);
    await page.getByPlaceholder('Find a user').fill('+5491155550009');
    await page.keyboard.press('Enter');
    await page.getByLabel('Is on the platform').uncheck();
    await page.locator('.switch input:not(:checked)').first().waitFor();

    await page.getByLabel('Message of the user').fill('Hello?');
    await page.keyboard.press('Enter');

    await page.getByText('is not on the platform; PATCH onPlatform to true first.').waitFor();
  });

  it('says of an event that nobody took for seven days that it comes no more', async () => {
    const refusing = createServer((request, response) => {
      request.resume();
      response.writeHead(503).end();
    });
    const webhook = await listenLocally(refusing);
    onTestFinished(() => webhook.close());
    const sandbox = await start({ url: webhook.url, auth: { kind: 'none' } });
    const opened = await openConsole(browser, sandbox.url);
    const { page } = opened;
    await becomeUser(page, '+5491155550006');
    await writeAsUser(page, 'Is anybody there?');
    await step(page, 'Webhook, attempt 1: 503');

    await page.getByRole('button', { name: '+ 7 days' }).click();

    await step(page, 'Webhook: dropped after seven days');
    await page.getByText('1 dropped after seven days').waitFor();
    expectNoComplaints(opened);
  });

  it('opens a click-to-chat link with the text that it carries', async () => {
    const opened = await openConsole(browser, (await start()).url);
    const { page } = opened;
    await page.getByText('Click-to-chat link').click();
    await page.getByLabel('Prefilled text').fill('I come by the link.');
    await page.getByRole('button', { name: 'Make a link' }).click();
    await page.getByAltText('QR code of the link').waitFor();
    await page.locator('.link a').click();
    await page.locator('.connection.live').waitFor();
    await becomeUser(page, '+5491155550005');

    expect(await page.getByLabel('Message of the user').inputValue()).toBe('I come by the link.');
    await page.getByRole('button', { name: 'Send as the user' }).click();
    await page.locator('.bubble').filter({ hasText: 'I come by the link.' }).waitFor();
    expectNoComplaints(opened);
  });

  it('notices that the service has gone', async () => {
    const sandbox = await start();
    const { page } = await openConsole(browser, sandbox.url);

    await sandbox.close();

    await page.getByText('Connection lost; trying again').waitFor();
  });
});

describe('a thousand users and thousands of messages', () => {
  it('leave the page as small as before, with every user and message within reach', async () => {
    const sandbox = await start();
    await populate(sandbox.url, { users: 1_000, messages: 2_500, talkative: 700 });
    const opened = await openConsole(browser, sandbox.url);
    const { page } = opened;

    expect(await elements(page)).toBeLessThan(1_500);
    expect(await page.locator('.windowed-rows li').first().getAttribute('aria-setsize')).toBe('1000');
    await page.locator('.users .windowed').evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await page.locator('.windowed-rows li[aria-posinset="1000"]').waitFor();
    await page.getByPlaceholder('Find a user').fill('User 0 ');
    await page.keyboard.press('Enter');
    for (let page50 = 0; page50 < 13; page50 += 1) {
      await page.getByRole('button', { name: 'Earlier messages' }).click();
      expect(await page.locator('.conversation li').count()).toBeLessThanOrEqual(150);
    }
    await page.locator('.bubble').getByText('Message 0 of User 0').waitFor();
    await page.getByRole('button', { name: 'Back to the latest' }).click();
    await page.locator('.bubble').getByText('Message 699 of User 0').waitFor();
    expect(await elements(page)).toBeLessThan(1_500);
    expectNoComplaints(opened);
  });
});
