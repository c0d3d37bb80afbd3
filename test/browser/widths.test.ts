import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalClient } from '../../local/cloud/local-client.ts';
import { eventually } from '../support/eventually.ts';
import { accessibilityViolations, openConsole, type RunningConsole, startConsole, step } from './console-page.ts';
import { layoutFaults } from './layout-faults.ts';

// The layout from the width of a small phone to that of a large screen, in the views that show the most.

const WIDTHS = [320, 360, 390, 414, 480, 600, 680, 768, 820, 860, 900, 1024, 1240, 1280, 1440, 1920] as const;
const HEIGHT = 800;
/** From this width, a list and the timeline of one of its rows are beside each other. */
const BESIDE_FROM = 900;

const ANA = '+5491155550001';
const LONG_ID = 'order-of-2026-11-28-for-the-warehouse-in-the-north-0042';

let opened: RunningConsole;
let page: Page;

const open = async (query: Readonly<Record<string, string>>): Promise<void> => {
  await page.goto(`${opened.cloud.consoleUrl}?${new URLSearchParams(query)}`);
  await page.locator('.connection.live').waitFor();
};
const paneTab = (name: string) => page.getByRole('navigation').getByRole('button', { name, exact: true });
/** Returns the faults at every width, in every pane, of which a narrow screen shows one or two at a time. */
const faultsAtWidths = async (): Promise<readonly string[]> => {
  const faults: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    for (const name of ['Phone', 'Controls', 'Activity']) {
      const isTab = await paneTab(name).isVisible();
      if (isTab) await paneTab(name).click();
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      if (isTab || name === 'Phone') faults.push(...(await layoutFaults(page)).map((fault) => `${width}: ${fault}`));
    }
  }
  return [...new Set(faults)];
};

beforeAll(async () => {
  const settings = {
    keywords: { languages: ['en' as const] },
    operators: { echoField: 'OPERATOR_ID' },
    sends: { bulkLane: { maxConcurrentCalls: 2 } },
  };
  opened = await startConsole(settings);
  ({ page } = opened);
});
afterAll(() => opened?.close());

/** A conversation, requests with short and long texts and IDs, dead letters, and a closed window. */
const fill = async (): Promise<void> => {
  const client = createLocalClient(opened.cloud);
  const path = `/users/${encodeURIComponent(ANA)}`;
  await client.control('PATCH', path, { name: 'Ana María Fernández de la Torre' });
  await client.control('POST', `${path}/messages`, { text: 'Where is *my parcel*, and when does it arrive?' });
  const isWritten = async () => {
    const items = Object.keys(await client.table());
    return items.some((key) => key.startsWith('CONTACT#')) ? true : undefined;
  };
  await eventually(isWritten);
  await client.enqueue({ requestId: LONG_ID, platformContactId: ANA, messageText: 'It arrives tomorrow, 14 to 16 h.' });
  await client.enqueue({ requestId: 'r-2', platformContactId: ANA, messageText: 'See you.' });
  await client.enqueue({
    requestId: 'r-3',
    platformContactId: '+5491155550009',
    messageText: 'Did it arrive in time?',
  });
  await client.enqueue({ requestId: 'malformed-request-of-a-shop-0001', platformContactId: ANA });
  await client.control('POST', '/events', { hello: 'world' });
  for (const [id, state] of Object.entries({ [LONG_ID]: 'accepted', 'r-3': 'refused' })) {
    await eventually(async () => ((await client.table())[`SEND#${id} SEND`]?.state === state ? true : undefined));
  }
  client.close();
};

it('has the parts of an empty page beside each other and whole at 16 widths', async () => {
  expect(await faultsAtWidths()).toEqual([]);
});

describe('a page with a conversation, requests, and dead letters', () => {
  beforeAll(fill);

  it.each([
    ['a timeline', { user: ANA, request: LONG_ID, tab: 'requests' }, '.step'],
    ['dead letters', { user: ANA, tab: 'dead-letters' }, '.dead-letters li'],
    ['the event log', { user: ANA, tab: 'events' }, '.event-row'],
  ] as const)('has its parts beside each other and whole at 16 widths, with %s', async (_, query, shown) => {
    await open(query);
    await page.locator(shown).first().waitFor({ state: 'attached' });

    expect(await faultsAtWidths()).toEqual([]);
  });

  it.each([320, 768, 1024])('shows every form whole at a width of %d pixels', async (width) => {
    await page.setViewportSize({ width, height: HEIGHT });
    await open({ user: ANA });
    if (await paneTab('Controls').isVisible()) await paneTab('Controls').click();
    await page.locator('.controls details').evaluateAll((all) => {
      for (const one of all) one.setAttribute('open', '');
    });
    await page.getByRole('button', { name: 'New template' }).click();
    await page.getByLabel('the user has written').check();

    expect(await layoutFaults(page)).toEqual([]);
    await page.evaluate('localStorage.clear()');
  });

  it('has the timeline beside the list from a width of 900 pixels', async () => {
    await open({ user: ANA, request: LONG_ID });
    await step(page, 'Send state: accepted');
    for (const width of WIDTHS.filter((one) => one >= BESIDE_FROM)) {
      await page.setViewportSize({ width, height: HEIGHT });

      const list = await page.getByRole('list', { name: 'Requests for this user' }).boundingBox();
      const timeline = await page.locator('.timeline').boundingBox();

      expect((list?.x ?? 0) + (list?.width ?? width)).toBeLessThanOrEqual(timeline?.x ?? 0);
      expect(timeline?.height).toBeGreaterThan(HEIGHT / 2);
    }
  });

  it.each([375, 1024])('closes the timeline when its list changes, at a width of %d pixels', async (width) => {
    await page.setViewportSize({ width, height: HEIGHT });
    const tab = (name: string) => page.locator('.tabs').getByRole('link', { name });
    await open({ user: ANA, request: LONG_ID });
    await step(page, 'Send state: accepted');

    await tab('All requests').click();

    await page.locator('.step').first().waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('request')).toBeNull();
    await page.locator('.request-row').filter({ hasText: 'r-2' }).click();
    await step(page, 'Send state: accepted');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Close the timeline' }).click();
    await page.locator('.request-row').filter({ hasText: 'r-2' }).waitFor();
  });
});

it.each(['light', 'dark'] as const)('has the same layout in the %s color scheme', async (colorScheme) => {
  const { page: other } = await openConsole(opened.browser, opened.cloud.consoleUrl ?? '', {
    colorScheme,
    viewport: { width: 1024, height: HEIGHT },
  });

  expect(await layoutFaults(other)).toEqual([]);
  expect(await accessibilityViolations(other)).toEqual([]);
  await other.context().close();
});
