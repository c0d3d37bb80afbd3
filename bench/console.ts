import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { startChromium } from '../test/browser/chromium.ts';
import { elements, openConsole } from '../test/browser/console-page.ts';
import { contactOf, populate } from '../test/browser/populate.ts';
import { numbersOrExit } from '../test/support/read-arguments.ts';

/*
 * `npm run bench:console -- --users 1000 --events 10000`: measures the time from an interaction to the frame that shows
 * its result, and the sandbox's memory, with the given number of users and events.
 */

const { users, events, times } = numbersOrExit({ users: 1_000, events: 10_000, times: 20 });

const sandbox = spawn(
  process.execPath,
  ['--max-semi-space-size=4', fileURLToPath(new URL('../sandbox/start.ts', import.meta.url))],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const url = await new Promise<string>((resolve) => {
  let printed = '';
  sandbox.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    const found = /console +(http:\S+)\//.exec(printed)?.[1];
    if (found) resolve(found);
  });
});

const residentMiB = (): string => {
  // Linux only.
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${sandbox.pid}/status`, 'utf8'))?.[1];
  return `${Math.round(Number(kib) / 1024)} MiB`;
};

/** Returns code for the page that performs an action and measures the time to the frame that shows its result. */
const timed = (action: string, isShown: string): string => `(async () => {
  const start = performance.now();
  ${action};
  while (!(${isShown})) {
    if (performance.now() - start > 5_000) throw new Error('The result was not shown within 5 s.');
    await new Promise((next) => setTimeout(next, 0));
  }
  await new Promise((next) => requestAnimationFrame(() => setTimeout(next, 0)));
  return performance.now() - start;
})()`;

const measure = async (page: Page, name: string, steps: (index: number) => { action: string; shown: string }) => {
  const took: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const { action, shown } = steps(index);
    took.push(await page.evaluate<number>(timed(action, shown)));
  }
  took.sort((one, other) => one - other);
  const at = (share: number) => (took[Math.min(took.length - 1, Math.floor(share * took.length))] ?? 0).toFixed(1);
  console.log(`${name.padEnd(45)} median ${at(0.5).padStart(6)} ms    max ${at(1).padStart(6)} ms`);
};

const $ = (selector: string): string => `document.querySelector(${JSON.stringify(selector)})`;
const type = (selector: string, text: string): string =>
  `${$(selector)}.value = ${JSON.stringify(text)}; ${$(selector)}.dispatchEvent(new Event('input', { bubbles: true }))`;

const browser = await startChromium();
try {
  console.log(`sandbox, idle: ${residentMiB()}`);
  await populate(url, { users, messages: events, talkative: Math.floor(events / 10) });
  console.log(`${users} users, ${events} events: ${residentMiB()}`);
  const { page } = await openConsole(browser, url);
  console.log(`elements in the page: ${await elements(page)}`);

  await measure(page, 'search for a user', (index) => ({
    action: type('.search input', `User ${index} of`),
    shown: `${$('.user .name')}?.textContent === ${JSON.stringify(`User ${index} of ${users}`)}`,
  }));
  await page.evaluate(type('.search input', ''));
  await measure(page, 'scroll through the users', (index) => ({
    action: `${$('.users .virtual-list')}.scrollTop = ${(index + 1) * 1_000}`,
    shown: `${$('.users .virtual-list-rows li')}.style.transform !== ${JSON.stringify(`translateY(${index * 1_000}px)`)}`,
  }));
  await page.evaluate(`${$('.users .virtual-list')}.scrollTop = 0`);
  // The next step selects rows by index, so wait until the list starts at the first row again.
  await page.locator('.users li[aria-posinset="1"]').waitFor();
  await measure(page, 'select a user, until the conversation is shown', (index) => ({
    action: `window.name = document.querySelectorAll('.users .user')[${1 + (index % 2)}].innerText;
      document.querySelectorAll('.users .user')[${1 + (index % 2)}].click()`,
    shown: `${$('.users [aria-current]')}?.innerText === window.name && ${$('.bubble')}`,
  }));
  await page.evaluate(type('.search input', 'User 0 of'));
  await page.locator('.user').first().click();
  await page.locator('.bubble').first().waitFor();
  await measure(page, 'select a message, until its timeline is shown', (index) => ({
    action: `document.querySelectorAll('.select')[${index}].click()`,
    shown: `document.querySelectorAll('.bubble')[${index}].matches('.selected') && ${$('.step h3')}`,
  }));
  await measure(page, 'load a page of earlier messages', (index) => ({
    action: `window.firstBubble = ${$('.bubble')}; ${$(index % 4 < 3 ? '.load-more' : '.load-more:last-child')}.click()`,
    shown: `${$('.bubble')} !== window.firstBubble`,
  }));
  await page.reload();
  await page.locator('.connection.live').waitFor();
  await page.evaluate(type('.search input', contactOf(0)));
  await page.locator('.user').first().click();
  await measure(page, 'send as the user, until the message is shown', (index) => ({
    action: `${type('.composer textarea', `Bench ${index}`)}; await new Promise((next) => setTimeout(next, 0)); ${$('.round.send')}.click()`,
    shown: `[...document.querySelectorAll('.in .text')].at(-1)?.textContent === 'Bench ${index}'`,
  }));
  console.log(`elements in the page: ${await elements(page)}; sandbox: ${residentMiB()}`);
} finally {
  await browser.close();
  sandbox.kill('SIGTERM');
}
