import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityViolations,
  addUser,
  elements,
  enqueue,
  expectNoProblems,
  type RunningConsole,
  startConsole,
  step,
  steps,
  writeAsUser,
} from './console-page.ts';

// Runs the console against a full local run: the synthesized stack with its functions and queues.

let opened: RunningConsole;
let page: Page;

beforeAll(async () => {
  opened = await startConsole();
  ({ page } = opened);
});
afterAll(() => opened?.close());

const card = (title: string) => page.locator('.card').filter({ has: page.getByRole('heading', { name: title }) });
const expand = async (title: string) => {
  if (!(await card(title).evaluate((element) => element.hasAttribute('open'))))
    await card(title).locator('summary').first().click();
};
const lastSent = () => page.locator('.conversation .out').last();

describe('console of a local run', () => {
  it('shows the timeline of a message from a new user: webhook, table, conversation window, event', async () => {
    await addUser(page, '+5491155550001');
    await page.locator('.countdown').getByText('Never opened').waitFor();
    await writeAsUser(page, 'Where is my *parcel*?');

    await step(page, 'Published MessageReceived');

    expect(await steps(page)).toEqual([
      'User sent a message',
      'Webhook attempt 1: 200',
      'Message stored',
      'Conversation window updated',
      'Published MessageReceived',
    ]);
    expect(await page.locator('.conversation .in strong').innerText()).toBe('parcel');
    await page
      .locator('.countdown')
      .getByText(/^23:5\d:/)
      .waitFor();
  });

  it('shows the timeline of a free-form request until the message is delivered and read', async () => {
    await enqueue(page, { text: 'It arrives _today_.' });
    await lastSent().getByRole('img', { name: 'Delivered' }).waitFor();
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await lastSent().getByRole('img', { name: 'Read' }).waitFor();

    await step(page, 'Status stored: read');

    await step(page, 'Published MessageRead');
    // Events are published from the table's stream, so they can appear between any two other steps.
    const shown = (await steps(page)).filter((title) => !title.startsWith('Published '));
    expect(shown.slice(0, 4)).toEqual([
      'Request queued',
      'Decision: message/v3',
      'POST message/v3: 200',
      "Delivered to the user's device",
    ]);
    const rest = ['Send state: accepted', 'Read by the user', 'Status stored: delivered', 'Status stored: read'];
    const attempts = ['Webhook attempt 1 (delivered): 200', 'Webhook attempt 1 (read): 200'];
    expect(shown.slice(4).toSorted()).toEqual([...rest, ...attempts].toSorted());
  });

  it('shows the decision and the outcome separately', async () => {
    const detailOf = (title: string) =>
      page.locator('.step').filter({ hasText: title }).locator('.detail').first().innerText();

    expect(await detailOf('Decision: message/v3')).toMatch(/so the window is open\.$/);
    expect(await detailOf('Send state: accepted')).toMatch(/^The chat service accepted it with the id \S+\.$/);
  });

  it('shows the body of a response when it is expanded', async () => {
    await page.locator('.step').filter({ hasText: 'POST message/v3' }).getByText('Response').click();

    expect(await page.locator('.step pre').innerText()).toContain('"problems": null');
  });

  it('shows why a free-form request is refused after the window has closed', async () => {
    await page.getByRole('button', { name: '+ 25 h' }).click();
    await page.locator('.window-card.closed').waitFor();
    await enqueue(page, { text: 'Are you still there?' });

    await step(page, 'Decision: WINDOW_CLOSED');

    const detail = await page.locator('.step').filter({ hasText: 'Decision' }).locator('.detail').innerText();
    expect(detail).toContain('The request has no template');
    await page.locator('.log-row').filter({ hasText: 'WINDOW_CLOSED' }).first().waitFor();
  });

  it('sends an approved template with its variables filled in', async () => {
    await expand('Templates');
    await page.getByRole('button', { name: 'New template' }).click();
    await page.getByRole('button', { name: 'Submit for approval' }).click();
    await page.getByRole('button', { name: 'Approve parcel_update' }).click();
    await card('Templates').locator('.badge').filter({ hasText: 'approved' }).waitFor();
    await page.locator('.controls-pane').getByRole('combobox', { name: 'Template' }).selectOption('parcel_update');
    await page.locator('.controls-pane').getByLabel('${name}').fill('Ana');
    await page.locator('.controls-pane').getByLabel('Free-form text').fill('Your parcel is there.');
    await page.getByRole('button', { name: 'Send request' }).click();

    await step(page, 'Decision: intent/v2');

    await lastSent().getByText('Hello Ana, your parcel arrives').waitFor();
  });

  it('lists dead-lettered events and redrives them', async () => {
    await fetch(`${opened.cloud.chatServiceUrl}/sandbox/events`, { method: 'POST', body: '{"hello":"world"}' });
    await page.locator('.tabs').getByRole('link', { name: 'Dead letters' }).click();
    await page.locator('.dead-letters').getByText('Not a known event').first().waitFor();

    await page.getByRole('button', { name: 'Redrive all events' }).click();

    await page.getByText(/^Moved \d+ messages? back to the queue\.$/).waitFor();
    await page.locator('.tabs').getByRole('link', { name: 'This user' }).click();
  });
});

describe('faults in the console', () => {
  it('shows a request waiting without credit and accepted once there is credit', async () => {
    await writeAsUser(page, 'Hello again');
    await expand('Account');
    await card('Account').getByRole('button', { name: '0', exact: true }).click();
    await enqueue(page, { text: 'When there is credit.' });
    await page.locator('.log-row .badge').filter({ hasText: 'waiting' }).waitFor();
    await step(page, 'POST message/v3: 403');

    await card('Account').getByRole('button', { name: '10,000' }).click();
    await page.getByRole('button', { name: '+ 1 h' }).click();

    await lastSent().getByText('When there is credit.').waitFor();
    await step(page, 'POST message/v3: 200');
  });

  it('shows the retry after an injected 503 response with Retry-After', async () => {
    await expand('Fault injection');
    await card('Fault injection').getByRole('button', { name: 'Inject' }).click();
    await page.getByText('Fault injected once: Return 503').waitFor();
    await enqueue(page, { text: 'At the second attempt.' });

    await lastSent().getByText('At the second attempt.').waitFor();
    await step(page, 'POST message/v3: 503');
    await step(page, 'POST message/v3: 200');
    await page.locator('.step .detail').filter({ hasText: '2 attempts so far.' }).waitFor();
  });

  it.each([
    ['Not sent: give up', 'rejected'],
    ['Not sent: send again', 'accepted'],
    ['Sent: record the message ID', 'accepted'],
  ])('resolves an uncertain send on its timeline: %s', async (outcome, state) => {
    await fetch(`${opened.cloud.chatServiceUrl}/sandbox/faults`, {
      method: 'POST',
      body: JSON.stringify({ answers: { status: 502 } }),
    });
    await enqueue(page, { text: 'Was it sent?' });
    await step(page, 'Send state: uncertain');
    const form = page.getByRole('region', { name: 'Resolve the uncertain send' });

    await form.getByLabel('Outcome').selectOption({ label: outcome });
    if (outcome.startsWith('Sent'))
      await form.getByRole('textbox', { name: 'Message ID' }).fill('found-in-the-console');
    expect(await accessibilityViolations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Resolve' }).click();

    await step(page, `Send state: ${state}`);
    expect(await form.count()).toBe(0);
  });

  it('shows a message as sent while the device is off and as delivered once it is on', async () => {
    await page.getByLabel('Device on').uncheck();
    await page.locator('.phone.off').waitFor();
    await enqueue(page, { text: 'Later.' });
    await lastSent().getByText('Later.').waitFor();
    await lastSent().getByRole('img', { name: 'Sent' }).waitFor();

    await page.getByLabel('Device on').check();

    await lastSent().getByRole('img', { name: 'Delivered' }).waitFor();
  });
});

describe('console page', () => {
  it.each(['light', 'dark'] as const)('has no accessibility violations in the %s color scheme', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });

    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it("shows one pane at a time at a phone's width, without horizontal scrolling", async () => {
    await page.setViewportSize({ width: 375, height: 720 });
    for (const [name, pane] of [
      ['Activity', '.activity-pane'],
      ['Controls', '.controls-pane'],
      ['Phone', '.phone-pane'],
    ] as const) {
      await page.getByRole('navigation').getByRole('button', { name }).click();
      await page.locator(pane).waitFor();

      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
      expect(await accessibilityViolations(page)).toEqual([]);
    }
  });

  it('has fewer than 1,000 elements', async () => {
    expect(await elements(page)).toBeLessThan(1_000);
  });

  it('logs no errors and makes no requests to other origins', () => {
    expectNoProblems(opened);
  });
});
