import type { Page } from 'playwright-core';
import { createLocalClient } from '../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import type { Frame } from './animated-webp.ts';
import { step } from './console-page.ts';

// Records how a message is answered, how one is refused after 24 hours, and how a template is sent instead.

export const STORY_USER = '+5491150000010';

/** Text on white is readable, and a frame has about 40 KiB. */
const QUALITY = 60;

/** Shows a line of text at the bottom of the page, which is not part of the console. */
const showCaption = (page: Page, text: string): Promise<void> =>
  page.evaluate((caption) => {
    const shown =
      document.querySelector<HTMLElement>('#caption') ?? document.body.appendChild(document.createElement('div'));
    shown.id = 'caption';
    shown.textContent = caption;
    // The console's content security policy forbids a style attribute.
    shown.style.cssText =
      'position: fixed; z-index: 9; bottom: 52px; left: 50%; transform: translateX(-50%); padding: 12px 26px;' +
      'border-radius: 99px; background: #0b6b5d; color: #fff; font: 600 22px system-ui; white-space: nowrap;' +
      'box-shadow: 0 2px 14px rgb(0 0 0 / 40%)';
  }, text);

/** Prepares the user and the template. */
export const prepareStory = async (cloud: LocalCloud): Promise<void> => {
  const client = createLocalClient(cloud);
  await client.control('PATCH', `/users/${encodeURIComponent(STORY_USER)}`, { name: 'Ana Torres' });
  await client.putRule('parcel_update', {
    text: 'Hello *${name}*, your parcel has arrived.',
    category: 'shipping-status',
  });
  client.close();
};

/** Plays the story on a page that shows its user. Waits for what a frame shows, never for a time. */
export const recordStory = async (page: Page): Promise<readonly Frame[]> => {
  const frames: Frame[] = [];
  const session = await page.context().newCDPSession(page);
  const record = async (duration: number): Promise<void> => {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
    frames.push({ webp: Buffer.from(data, 'base64'), duration });
  };
  const region = (name: string) => page.getByRole('region', { name, exact: true });
  const phone = region('Phone');
  const controls = region('Controls');
  const type = async (label: string, text: string): Promise<void> => {
    const field = page.getByLabel(label);
    const words = text.split(' ');
    for (const [index] of words.entries()) {
      await field.fill(words.slice(0, index + 1).join(' '));
      await record(index === words.length - 1 ? 500 : 130);
    }
  };
  const ticks = (status: string) => phone.getByRole('img', { name: status }).last().waitFor();

  await showCaption(page, 'A user writes …');
  await type('Message from the user', 'Where is my parcel?');
  await page.getByRole('button', { name: 'Send as user' }).click();
  await step(page, 'Published MessageReceived');
  await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
  await showCaption(page, '… your systems get an event, and a window of 24 hours opens.');
  await record(2_400);

  await showCaption(page, 'While it is open, you can answer with any text.');
  await type('Free-form text', 'It arrives *tomorrow*.');
  await page.getByRole('button', { name: 'Send request' }).click();
  await ticks('Delivered');
  await step(page, 'Published MessageDelivered');
  await record(2_400);

  await controls.getByRole('button', { name: '+ 25 h' }).click();
  await controls.getByText('Only templates can be sent.').waitFor();
  await showCaption(page, '25 hours later, the window is closed.');
  await record(1_400);
  await type('Free-form text', 'Did it arrive?');
  await page.getByRole('button', { name: 'Send request' }).click();
  await step(page, 'Send state: refused');
  await showCaption(page, 'Parley refuses the send, and says why.');
  await record(2_600);

  const action = region('Send as template').first();
  await action.getByRole('textbox', { name: 'name' }).fill('Ana');
  await showCaption(page, 'A template may still be sent.');
  await record(1_000);
  await action.getByRole('button', { name: 'Send as template' }).click();
  await step(page, 'Send state: accepted');
  await ticks('Delivered');
  await record(1_800);
  await phone.getByRole('button', { name: 'Mark all as read' }).click();
  await ticks('Read');
  await step(page, 'Published MessageRead');
  await showCaption(page, 'Delivered, read, and every step explained.');
  await record(3_000);
  return frames;
};
