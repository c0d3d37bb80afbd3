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
import { withKeyboard } from './person.ts';

// The second part of the checklist: each item demonstrates a feature for bots and agents.

let opened: RunningConsole;
let page: Page;

beforeAll(async () => {
  const settings = {
    keywords: { languages: ['en', 'es'], confirmation: 'You get no more messages from us.' },
    operators: { echoField: 'OPERATOR_ID', handoverMinutes: 60 },
    sends: { bulkLane: { maxConcurrentCalls: 2 } },
    turns: { silenceSeconds: 8 },
  };
  opened = await startConsole(settings);
  ({ page } = opened);
});
afterAll(() => opened?.close());

const checklist = () => page.getByRole('region', { name: 'Get started' });
const item = (title: string) => checklist().getByRole('listitem').filter({ hasText: title });
const play = (title: string, action: string) => item(title).getByRole('button', { name: action }).click();
const request = (title: string) => item(title).getByRole('link', { name: 'Show the request' });
const toChecklist = () => page.getByRole('link', { name: 'Show the checklist' }).click();

it('is closed at first, and opened with the keyboard', async () => {
  await checklist().getByText('0 of 6 played').waitFor();
  expect(await item('Condition').count()).toBe(0);

  await withKeyboard(page).press(checklist().locator('summary'));

  await item('Condition').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
});

describe('the tour for bots and agents', () => {
  it.each([
    ['Condition', 'Answer too late', 'SUPERSEDED'],
    ['Handover', 'Write as operator and bot', 'HANDED_OVER'],
    ['Keyword', 'Write STOP and send', 'OPTED_OUT'],
  ])('plays %s: the request is refused', async (title, action, code) => {
    await play(title, action);

    await request(title).click();

    await step(page, `Decision: ${code}`);
    expect(await accessibilityViolations(page)).toEqual([]);
    await toChecklist();
  });

  it('plays Turn: one event has the three messages', async () => {
    await play('Turn', 'Write three messages');

    await item('Turn').getByRole('link', { name: 'Show the message' }).click();

    await step(page, 'Added to a turn');
    await step(page, 'Turn ended');
    await page.getByText('TurnEnded was published with 3 messages.').waitFor();
    await page.getByText('The message is number 3 of 3.').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await toChecklist();
  });

  it('shows on the phone that only the confirmation of the opt-out was sent, and links to its request', async () => {
    await page.getByRole('link', { name: 'Carla Ruiz' }).first().click();
    await page.locator('.conversation .out').filter({ hasText: 'You get no more messages from us.' }).waitFor();
    expect(await page.locator('.conversation .out').count()).toBe(1);
    await page.getByRole('link', { name: "Timeline of the user's message: STOP" }).click();

    await step(page, 'Confirmation queued');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Show the request: Confirmation queued' }).click();

    await step(page, 'Decision: message/v3');
    await step(page, 'Send state: accepted');
    await toChecklist();
  });

  it('shows the operator on the phone, and has handed the user back', async () => {
    await page.getByRole('link', { name: 'Bruno Diaz' }).first().click();

    await page.locator('.conversation .out').filter({ hasText: 'This is Ana.' }).getByText('Operator').waitFor();
    await page.locator('.card').getByText('Automated systems answer').waitFor();
    await page.getByRole('button', { name: 'Hand over to people' }).waitFor();
  });

  it('plays Bulk queue: the code arrives while bulk requests still wait', async () => {
    await play('Bulk queue', 'Send 20 and a code');
    await request('Bulk queue').waitFor();

    const texts = await page.locator('.conversation .out .text').allInnerTexts();
    expect(texts.at(-1)).toBe('News 20');
    expect(texts.indexOf('Your code is 123456.')).toBeLessThan(texts.indexOf('News 20'));
  });

  it('plays Dry run: the form shows the decision, which changes when the user writes', async () => {
    const form = page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Send a request' }) });
    await play('Dry run', 'Fill in the form');

    await form.getByText('Parley would call message/v3.').waitFor();
    await form.getByLabel('Free-form text').and(page.locator(':focus')).waitFor();
    await page.getByLabel('Message from the user').fill('Hello?');
    await page.keyboard.press('Enter');

    await form.getByRole('note').getByText('SUPERSEDED').waitFor();
    await toChecklist();
    await checklist().getByText('6 of 6 played').waitFor();
  });

  it('remembers the refusals after the page is loaded again', async () => {
    await page.reload();

    await checklist().getByText('3 of 6 played').waitFor();
    expectNoProblems(opened);
  });
});

it('says which setting turns an item on, instead of a button', async () => {
  const { page: other } = await openConsole(opened.browser, opened.cloud.consoleUrl ?? '');
  await other.route('**/console/start', async (route) => {
    const response = await route.fetch();
    const features = { handovers: true, keywords: false, confirmsOptOuts: false, bulkLane: false };
    await route.fulfill({ response, json: { ...(await response.json()), users: [], features } });
  });
  await fetch(`${opened.cloud.chatServiceUrl}/sandbox/reset`, { method: 'POST' });
  await other.reload();
  const list = other.getByRole('region', { name: 'Get started' });
  await list.getByText('For bots and agents').click();

  for (const setting of ['operators.echoField', 'keywords', 'sends.bulkLane', 'turns.silenceSeconds']) {
    await list.getByText(`To try this, set ${setting}.`).waitFor();
  }
  await list.getByRole('button', { name: 'Answer too late' }).waitFor();
  expect(await list.getByRole('button', { name: 'Write STOP and send' }).count()).toBe(0);
  expect(await accessibilityViolations(other)).toEqual([]);
  await other.context().close();
});
