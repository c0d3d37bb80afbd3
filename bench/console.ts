import type { Page } from 'playwright-core';
import { startChromium } from '../test/browser/chromium.ts';
import { elements, openConsole } from '../test/browser/console-page.ts';
import { contactOf } from '../test/browser/populate.ts';
import { numbersOrExit } from '../test/support/read-arguments.ts';
import { addDeadLetters, addLargeEvent } from './console/add-events.ts';
import { browse, lists, phone, read } from './console/interactions.ts';
import { type Interaction, type Measured, measure } from './console/measure.ts';
import { measureFirstLoad } from './console/measure-first-load.ts';
import { populateRun } from './console/populate-run.ts';
import { startRun } from './console/start-run.ts';

/*
 * `npm run bench:console -- --users 1000 --events 10000 --requests 1000`: fills a local run through its functions, and
 * measures the time from each interaction with the console to the frame that shows its result. Exits with 1 if a median
 * takes longer than a person notices.
 */

const LIMIT_MS = 100;
const amounts = numbersOrExit({ users: 1_000, events: 10_000, requests: 1_000, times: 20 });

const measured: Measured[] = [];
const measureAll = async (page: Page, interactions: readonly Interaction[]): Promise<void> => {
  for (const interaction of interactions) {
    const result = await measure(page, interaction, amounts.times);
    measured.push(result);
    print(result.name, milliseconds(result.medianMs), milliseconds(result.maxMs));
  }
};

await using run = await startRun();
const browser = await startChromium();
try {
  const first = await measureFirstLoad(browser, run.url);
  console.log(`first load of an empty run: ${first.requests} requests, ${first.bytes.toLocaleString('en-US')} bytes`);

  const { receivedSeconds, sentSeconds, states } = await populateRun(run.url, amounts);
  const { users, events, requests } = amounts;
  console.log(`${users} users and ${events} events, received by the webhook in ${receivedSeconds.toFixed(0)} s`);
  console.log(`${requests} requests through the send queue in ${sentSeconds.toFixed(0)} s: ${listed(states)}`);
  await addDeadLetters(run.url);
  const largeEventId = await addLargeEvent(run.url, contactOf(0));

  print('interaction, until its result is shown', 'median', 'max');
  const open = async (query: string): Promise<Page> => (await openConsole(browser, `${run.url}/${query}`)).page;
  const talkative = `?user=${encodeURIComponent(contactOf(0))}`;
  await measureAll(await open(''), browse(users));
  await measureAll(await open(talkative), phone);
  await measureAll(await open('?tab=requests'), lists);
  await measureAll(await open(`${talkative}&message=${encodeURIComponent(largeEventId)}`), read);
  console.log(`elements in the page: ${await elements(await open('?tab=requests'))}`);
} finally {
  await browser.close();
}

const slow = measured.filter(({ medianMs }) => medianMs >= LIMIT_MS);
console.log(
  slow.length === 0
    ? `Every median is under ${LIMIT_MS} ms.`
    : `These medians are not under ${LIMIT_MS} ms: ${slow.map(({ name }) => name).join(', ')}.`,
);
if (slow.length > 0) process.exitCode = 1;

function print(name: string, median: string, max: string): void {
  console.log(name.padEnd(46), median.padStart(9), max.padStart(9));
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}

function listed(counts: Readonly<Record<string, number>>): string {
  const named = Object.entries(counts).filter(([, count]) => count > 0);
  return named.map(([name, count]) => `${count} ${name}`).join(', ');
}
