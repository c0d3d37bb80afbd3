import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';

const SAMPLES: Readonly<Record<string, string>> = {
  'parcel.jpg': 'image/jpeg',
  'voice.wav': 'audio/wav',
  'waybill.pdf': 'application/pdf',
};

/** A photo, a sound and a document that users can attach without any address outside of this machine. */
export const sampleRoutes = (): Hono =>
  new Hono().get('/:file', async (context) => {
    const type = SAMPLES[context.req.param('file')];
    if (type === undefined) return context.body(null, 404);
    const bytes = await readFile(new URL(`./samples/${context.req.param('file')}`, import.meta.url));
    return context.body(Uint8Array.from(bytes), 200, { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' });
  });
