import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalClient } from '../../local/cloud/local-client.ts';
import {
  accessibilityViolations,
  addUser,
  expectNoProblems,
  type RunningConsole,
  startConsole,
  step,
  writeAsUser,
} from './console-page.ts';

// What bots and agents use, in a stage whose settings turn it on.

let opened: RunningConsole;
let page: Page;

beforeAll(async () => {
  const settings = {
    keywords: { languages: ['en', 'es'] },
    operators: { echoField: 'OPERATOR_ID', handoverMinutes: 60 },
    sends: { bulkLane: { maxConcurrentCalls: 2 } },
  };
  opened = await startConsole(settings);
  ({ page } = opened);
  await addUser(page, '+5491155550001');
  await writeAsUser(page, 'Hello');
  await step(page, 'Published MessageReceived');
});
afterAll(() => opened?.close());

const card = (title: string) =>
  page.locator('.card').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
const form = () => card('Send a request');
const refusal = (code: string) => form().getByRole('note').getByText(code).waitFor();
const wouldSend = () => form().getByText('Parley would call message/v3.').waitFor();

describe('the fields for bots and agents', () => {
  it('are closed at first, and have names', async () => {
    await form().getByText('For bots and agents').waitFor();
    expect(await form().getByLabel('Automated (a bot)').isVisible()).toBe(false);

    await form().getByText('For bots and agents').click();

    await form().getByRole('combobox', { name: 'Queue' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('refuse a reply to a message after which the user has written', async () => {
    await form().getByLabel('the user has written').check();
    await wouldSend();

    await writeAsUser(page, 'And another question');

    await refusal('SUPERSEDED');
    await form().getByRole('button', { name: 'Latest message' }).click();
    await wouldSend();
  });

  it('say what is wrong with a deadline', async () => {
    await form().getByLabel('Not after (duration)').fill('10 minutes');
    await form().getByRole('note').getByText('Parley would move this request to the dead letters.').waitFor();

    await form().getByLabel('Not after (duration)').fill('PT10M');

    await wouldSend();
  });

  it('put a request on the bulk queue', async () => {
    await form().getByRole('combobox', { name: 'Queue' }).selectOption('Bulk');
    await form().getByRole('button', { name: 'Send request' }).click();

    await page.getByText('added to the bulk queue').waitFor();
    await step(page, 'Send state: accepted');
    await form().getByRole('combobox', { name: 'Queue' }).selectOption('Ordinary');
  });
});

describe('a handover', () => {
  it('makes the form say that an automated request would be refused, until the user is handed back', async () => {
    await form().getByLabel('the user has written').uncheck();
    await form().getByLabel('Automated (a bot)').check();
    await wouldSend();

    await card('User').getByRole('button', { name: 'Hand over to people' }).click();

    await refusal('HANDED_OVER');
    await card('User').getByText('until the user is handed back').waitFor();
    await card('User').getByRole('button', { name: 'Hand back' }).click();
    await wouldSend();
  });

  it('starts with the message of an operator, which the phone shows, and ends an hour later', async () => {
    await card('Operator').getByLabel('Message from an operator').fill('This is Ana.');
    await card('Operator').getByRole('button', { name: 'Write as operator' }).click();

    await page.locator('.conversation .out').filter({ hasText: 'This is Ana.' }).getByText('Operator').waitFor();
    await refusal('HANDED_OVER');
    await step(page, 'Operator recognized');
    await step(page, 'Published ContactHandedOver');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: '+ 1 h' }).click();
    await wouldSend();
    await card('User').getByText('Automated systems answer').waitFor();
  });

  it('is recorded in the audit trail', async () => {
    const client = createLocalClient(opened.cloud);
    const entries = Object.values(await client.table()).filter(({ sk }) => sk === 'AUDIT');
    client.close();

    expect(entries.map(({ action }) => action).toSorted()).toEqual(['handback', 'handover']);
  });
});

describe('the queue for bulk requests', () => {
  const bulkQueue = (depth: number) =>
    page
      .locator('.stats div')
      .filter({ hasText: 'Bulk queue' })
      .getByRole('link', { name: `${depth}` })
      .waitFor();
  const inspector = (path: string, body: unknown) =>
    fetch(`${opened.cloud.chatServiceUrl}/inspector/${path}`, { method: 'POST', body: JSON.stringify(body) });

  it('is in the header, and in the backlog of the decision', async () => {
    await bulkQueue(0);
    await form().getByText('Backlog: 0 requests on the send queue, 0 requests on the bulk queue.').waitFor();
    await inspector('stops', { note: 'Wrong price' });
    const body = { requestId: 'bulk-1', platformContactId: '+5491155550001', messageText: 'News' };

    await inspector('requests', { body, groupId: '1', deduplicationId: 'bulk-1', queue: 'bulk' });

    await bulkQueue(1);
    await form().getByText('Backlog: 0 requests on the send queue, 1 request on the bulk queue.').waitFor();
    await inspector('resumptions', {});
  });

  it.each([1440, 1024])('has room in the header at a width of %d pixels', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    const charts = await page.locator('.charts dd').last().boundingBox();
    const stats = await page.locator('.stats').boundingBox();
    await page.setViewportSize({ width: 1440, height: 900 });

    expect((charts?.x ?? 0) + (charts?.width ?? 0)).toBeLessThan(stats?.x ?? 0);
  });

  it('has dead letters of its own, which return to it', async () => {
    const arrival = () => page.locator('.dead-letters time').first().getAttribute('datetime');
    const body = { requestId: 'malformed-1', platformContactId: '+5491155550001' };
    await inspector('requests', { body, groupId: '2', deduplicationId: 'malformed-1', queue: 'bulk' });
    await page.getByRole('link', { name: 'Dead letters 1' }).click();
    await page.getByRole('heading', { name: 'Bulk requests' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    const before = await arrival();

    await page.getByRole('button', { name: 'Redrive', exact: true }).click();

    await expect.poll(arrival, { timeout: 20_000 }).not.toBe(before);
    await page.getByRole('heading', { name: 'Bulk requests' }).waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('group', { name: 'Discard?' }).getByRole('button', { name: 'Discard' }).click();
    await page.getByText('There are none.').waitFor();
    await page.getByRole('link', { name: 'This user' }).click();
  });
});

describe('a keyword', () => {
  it("is shown as the user's consent, and in the form", async () => {
    await writeAsUser(page, 'STOP');

    await card('User').getByText('opted out', { exact: true }).waitFor();
    await card('User').getByText('by keyword STOP').waitFor();
    await refusal('OPTED_OUT');
    await step(page, 'Opt-out recorded');
    await step(page, 'Published ContactOptedOut');
  });
});

it('logs no errors', () => expectNoProblems(opened));
