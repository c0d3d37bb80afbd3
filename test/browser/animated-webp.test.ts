import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { animate, type Frame } from './animated-webp.ts';
import { startChromium } from './chromium.ts';

/** Runs in the page: decodes an animation, as a browser does that shows it. */
const decodeInPage = `async (base64) => {
  const data = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const decoder = new ImageDecoder({ data, type: 'image/webp' });
  await decoder.completed;
  await decoder.tracks.ready;
  const { frameCount, repetitionCount } = decoder.tracks.selectedTrack;
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  const frames = [];
  for (let frameIndex = 0; frameIndex < frameCount; frameIndex += 1) {
    const { image } = await decoder.decode({ frameIndex });
    canvas.drawImage(image, 0, 0);
    const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
    const size = image.displayWidth + '×' + image.displayHeight;
    frames.push({ size, duration: image.duration / 1000, color: [red, green, blue].indexOf(Math.max(red, green, blue)) });
  }
  return { frames, repeatsForever: repetitionCount === Infinity };
}`;

describe('an animated WebP', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  const decode = async (webp: Buffer) => {
    const page = await browser.newPage();
    // ImageDecoder needs a secure context.
    await page.route('https://decoder.example/', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await page.goto('https://decoder.example/');
    return page.evaluate(`(${decodeInPage})(${JSON.stringify(webp.toString('base64'))})`);
  };

  it('is decoded by Chromium into its frames, with their durations', async () => {
    const page = await browser.newPage({ viewport: { width: 301, height: 200 } });
    const session = await page.context().newCDPSession(page);
    const frames: Frame[] = [];
    for (const [index, color] of ['red', 'lime', 'blue'].entries()) {
      await page.setContent(`<body style="background: ${color}">${'text '.repeat(index * 20)}`);
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 60 });
      frames.push({ webp: Buffer.from(data, 'base64'), duration: 100 * (index + 1) });
    }

    expect(await decode(animate(frames))).toEqual({
      repeatsForever: true,
      frames: [
        { size: '301×200', duration: 100, color: 0 },
        { size: '301×200', duration: 200, color: 1 },
        { size: '301×200', duration: 300, color: 2 },
      ],
    });
  });

  it.each(['light', 'dark'])('is the %s picture of the README', async (scheme) => {
    const webp = readFileSync(new URL(`../../docs/images/story-${scheme}.webp`, import.meta.url));
    expect(webp.byteLength).toBeLessThan(1.5 * 1024 * 1024);
    expect(await decode(webp)).toMatchObject({ repeatsForever: true, frames: { length: expect.any(Number) } });
  });

  it.each([
    ['no frame', [], 'An animation needs a frame.'],
    ['a frame of another format', [{ webp: Buffer.from('RIFF    WEBPVP8L\0\0\0\0'), duration: 1 }], 'not a lossy WebP'],
  ])('is not made of %s', (_, frames, message) => {
    expect(() => animate(frames)).toThrow(message);
  });
});
