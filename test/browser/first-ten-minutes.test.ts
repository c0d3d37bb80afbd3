import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { startTestCloud } from '../support/test-cloud.ts';
import { startChromium } from './chromium.ts';
import { accessibilityViolations, type ConsolePage, expectNoProblems, openConsole } from './console-page.ts';
import { type Person, withKeyboard, withMouse } from './person.ts';

// A new user's first ten minutes: from an empty page to a message that is refused, then sent as a template, then read.
// Finds everything as a person or a screen reader does, by roles and names.

const MARKER = 'isFirstPage';

describe.each([
  ['a mouse', withMouse],
  ['the keyboard alone', withKeyboard],
])('the first ten minutes with %s', (_, createPerson) => {
  let cloud: LocalCloud;
  let browser: Browser;
  let opened: ConsolePage;
  let page: Page;
  let person: Person;

  beforeAll(async () => {
    [cloud, browser] = await Promise.all([startTestCloud(), startChromium()]);
    opened = await openConsole(browser, cloud.consoleUrl ?? '');
    page = opened.page;
    person = createPerson(page);
    await page.evaluate(`window.${MARKER} = true`);
  });
  afterAll(async () => {
    await browser?.close();
    await cloud?.close();
  });

  const region = (name: string) => page.getByRole('region', { name, exact: true });
  const phone = () => region('Phone');
  const controls = () => region('Controls');
  // A change of an item that keeps its state is a step, too.
  const step = (title: string) => region('Activity').getByRole('heading', { name: title, exact: true }).first();
  const ticks = (status: string) => phone().getByRole('img', { name: status }).last();

  const reply = async (text: string) => {
    await person.type(controls().getByRole('textbox', { name: 'Free-form text' }), text);
    await person.press(controls().getByRole('button', { name: 'Send request' }));
  };

  it('starts with an empty page that says how to start', async () => {
    await phone().getByText('or play a sample conversation').waitFor();
    await region('Activity').getByRole('heading', { name: 'Get started' }).waitFor();

    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('adds a user whose number is entered with spaces', async () => {
    await person.type(phone().getByRole('searchbox'), '+54 9 11 5555 0001');
    await person.submit();

    await phone().getByRole('link', { name: '+5491155550001' }).waitFor();
    await controls().getByText('Never opened').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('writes as the user, which opens the conversation window', async () => {
    await person.type(phone().getByRole('textbox', { name: 'Message from the user' }), 'Where is my *parcel*?');
    await person.submit();

    await step('Published MessageReceived').waitFor();
    await controls().getByText('left to send free-form messages').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('replies with free-form text', async () => {
    await reply('It arrives _today_.');

    await step('Decision: message/v3').waitFor();
    await phone().getByText('It arrives today.', { exact: true }).waitFor();
    await ticks('Delivered').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('has free-form text refused 25 hours later', async () => {
    await person.press(controls().getByRole('button', { name: '+ 25 h' }));
    await controls().getByText('Only templates can be sent.').waitFor();
    await reply('Are you still there?');

    await step('Decision: WINDOW_CLOSED').waitFor();
    await step('Send state: refused').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('sends a template from the refusal, and creates it on the way', async () => {
    const action = region('Send as template');
    await person.press(action.getByRole('button', { name: 'Create a sample template' }));
    await person.type(action.getByRole('textbox', { name: 'name' }), 'Ana');
    expect(await accessibilityViolations(page)).toEqual([]);
    await person.press(action.getByRole('button', { name: 'Send as template' }));

    await step('Decision: intent/v2').waitFor();
    await step('Send state: accepted').waitFor();
    await phone().getByText('Hello Ana, your parcel arrives today.', { exact: true }).waitFor();
    await ticks('Delivered').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('reads the message as the user', async () => {
    await person.press(phone().getByRole('button', { name: 'Mark all as read' }));

    await ticks('Read').waitFor();
    await step('Read by the user').waitFor();
    await step('Published MessageRead').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('has not left or reloaded the page, and logged no problems', async () => {
    expect(await page.evaluate(`window.${MARKER}`)).toBe(true);
    const { origin, pathname } = new URL(page.url());
    expect(`${origin}${pathname}`).toBe(cloud.consoleUrl);
    expectNoProblems(opened);
  });
});
