import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { createLocalClient } from '../../local/cloud/local-client.ts';
import { startLocal } from '../../local/cloud/local-cloud.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { animate } from './animated-webp.ts';
import { startChromium } from './chromium.ts';
import { openConsole, step } from './console-page.ts';
import { prepareStory, recordStory, STORY_USER } from './record-story.ts';

// `npm run screenshots`: takes the documents' pictures of the console, on local runs: screenshots of sample
// conversations, and the animation of the README.

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'images');
const QUALITY = 82;

const ANA = '+5491150000010';

const OTHERS: readonly (readonly [name: string, text: string])[] = [
  ['Bruno Lima', 'Are you open on *Sunday*?'],
  ['Carla Ruiz', 'Thanks, all good!'],
  ['Diego Paz', 'Can I change the date?'],
  ['Elena Soto', 'Where do I pick it up?'],
];

const cloud = await startLocal();
const client = createLocalClient(cloud);

const nameUser = (contact: string, name: string) =>
  client.control('PATCH', `/users/${encodeURIComponent(contact)}`, { name });

const writeAs = async (contact: string, message: Readonly<Record<string, unknown>>) => {
  await client.control('POST', `/users/${encodeURIComponent(contact)}/messages`, message);
  // The next send depends on the conversation window that this message opens.
  await waitFor('every event is acknowledged', async () => {
    const { pending } = Object(await client.control('GET', '/state'));
    return pending === 0 ? true : undefined;
  });
};

const sendToAna = async (request: { readonly requestId: string } & Readonly<Record<string, unknown>>) => {
  await client.enqueue({ platformContactId: ANA, ...request });
  await waitFor(`the outcome of ${request.requestId} is recorded`, async () => {
    const state = (await client.table())[`SEND#${request.requestId} SEND`]?.state;
    return state === undefined || state === 'claimed' ? undefined : state;
  });
};

/** Plays conversations with formatting, media, a refused request, and every delivery status. */
const playConversations = async (): Promise<void> => {
  const sample = (file: string) => `${cloud.chatServiceUrl}/samples/${file}`;
  for (const [index, [name, text]] of OTHERS.entries()) {
    const contact = `+54911500000${index + 20}`;
    await nameUser(contact, name);
    await writeAs(contact, { text });
  }
  await nameUser(ANA, 'Ana Torres');
  await client.putRule('parcel_update', { text: 'Hello *${name}*, news of your parcel.', category: 'shipping-status' });
  await writeAs(ANA, { text: 'Good morning!' });
  await sendToAna({
    requestId: 'parcel-0042-1',
    messageText: 'Good morning, *Ana*. It left at 8:40 and is _on its way_.',
  });
  await writeAs(ANA, { text: 'It looks like this:', imageUrls: [sample('parcel.jpg')] });
  await sendToAna({ requestId: 'parcel-0042-2', messageText: 'Look', imageURL: 'https://media.example/dance.gif' });
  await sendToAna({
    requestId: 'parcel-0042-3',
    messageText: 'Thank you! Waybill `0042` arrives today, *14 to 16 h*.',
  });
  await client.userReads(ANA);
  await writeAs(ANA, { audioUrls: [sample('voice.wav')] });
};

const write = async (name: string, bytes: Buffer): Promise<void> => {
  await writeFile(join(FOLDER, `${name}.webp`), bytes);
  console.log(`docs/images/${name}.webp, ${Math.ceil(bytes.byteLength / 1024)} KiB`);
};

const capture = async (page: Page, name: string): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await write(name, Buffer.from(data, 'base64'));
};

/** Sends a free-form message after the window has closed. */
const refuseReply = async (): Promise<void> => {
  await client.advanceClock(25 * 3_600);
  await sendToAna({ requestId: 'parcel-0042-4', messageText: 'Did it arrive?' });
};

const SIZES: readonly (readonly [name: string, width: number, height: number])[] = [
  ['console', 1440, 900],
  ['console-medium', 1024, 768],
  ['console-narrow', 375, 720],
];

const browser = await startChromium();
try {
  await mkdir(FOLDER, { recursive: true });
  const open = async (
    route: Readonly<Record<string, string>>,
    options: BrowserContextOptions,
    { consoleUrl } = cloud,
  ) => {
    const url = `${consoleUrl ?? ''}?${new URLSearchParams(route)}`;
    const { page } = await openConsole(browser, url, { deviceScaleFactor: 1.5, ...options });
    await page.locator('.stats').getByText('Send queue').waitFor({ state: 'attached' });
    return page;
  };
  const wide = { colorScheme: 'light', viewport: { width: 1440, height: 900 } } as const;

  const empty = await open({}, wide);
  await empty.getByRole('heading', { name: 'Get started' }).waitFor();
  await capture(empty, 'console-first-run');

  await playConversations();
  for (const [name, width, height] of SIZES) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open({ user: ANA, request: 'parcel-0042-3' }, { colorScheme, viewport: { width, height } });
      await step(page, 'Published MessageRead');
      await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
      if (width < 1_000) await page.getByRole('navigation').getByRole('button', { name: 'Phone' }).click();
      await page.locator('.ticks.read').last().waitFor();
      // Parley's answer about the user. A narrow screen hides it.
      await page.locator('.window-card.open').waitFor({ state: 'attached' });
      await page.locator('.conversation').evaluate((list) => list.scrollTo(0, list.scrollHeight));
      await capture(page, `${name}-${colorScheme}`);
    }
  }

  await refuseReply();
  const refused = await open({ user: ANA, request: 'parcel-0042-4', tab: 'requests' }, wide);
  await refused.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
  await refused.getByRole('region', { name: 'Send as template' }).first().waitFor();
  await capture(refused, 'console-refused');

  for (const colorScheme of ['light', 'dark'] as const) {
    await using stage = await startLocal();
    await prepareStory(stage);
    const options = { colorScheme, deviceScaleFactor: 1, viewport: { width: 1280, height: 800 } };
    const page = await open({ user: STORY_USER }, options, stage);
    await write(`story-${colorScheme}`, animate(await recordStory(page)));
  }
} finally {
  await browser.close();
  client.close();
  await cloud.close();
}
