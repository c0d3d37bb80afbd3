import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { waitFor } from '../../local/demo/wait-for.ts';
import { createLocalClient } from '../../local/local-client.ts';
import { startLocal } from '../../local/local-cloud.ts';
import { startChromium } from './chromium.ts';
import { openConsole, step } from './console-page.ts';

// `npm run screenshots`: takes the README's screenshots of the console, on a local run with sample conversations.

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

const capture = async (page: Page, name: string): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  const bytes = Buffer.from(data, 'base64');
  await writeFile(join(FOLDER, `${name}.webp`), bytes);
  console.log(`docs/images/${name}.webp, ${Math.ceil(bytes.byteLength / 1024)} KiB`);
};

const browser = await startChromium();
try {
  await mkdir(FOLDER, { recursive: true });
  await playConversations();
  const open = async (options: BrowserContextOptions) =>
    (await openConsole(browser, cloud.consoleUrl ?? '', { deviceScaleFactor: 1.5, ...options })).page;
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open({ colorScheme, viewport: { width: 1360, height: 850 } });
    await page.locator('.bubble').filter({ hasText: 'arrives today' }).last().locator('.select').click();
    await step(page, /^Statuses stored: delivered, read/);
    await page.locator('.conversation').evaluate((list) => list.scrollTo(0, list.scrollHeight));
    // Removes the focus ring.
    await page.evaluate('document.activeElement.blur()');
    await capture(page, `console-${colorScheme}`);
  }
  const narrow = await open({ colorScheme: 'light', viewport: { width: 390, height: 780 } });
  await narrow.locator('.ticks.read').last().waitFor();
  await capture(narrow, 'console-narrow');
} finally {
  await browser.close();
  client.close();
  await cloud.close();
}
