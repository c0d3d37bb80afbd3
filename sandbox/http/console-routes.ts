import { readFile } from 'node:fs/promises';
import { type Context, Hono } from 'hono';
import { consolePage } from '#console-page';
import type { Inspector } from '../base/inspector.ts';
import type { PageFiles } from '../console/page-files.ts';
import type { RunningService } from '../running/running-service.ts';
import { consoleData } from './console-data.ts';

/**
 * Allows only what this server serves: no inline script or style, no other origin, no frame around the page.
 * Source: https://www.w3.org/TR/CSP3/
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** A photo, a recording, and a document that users can attach without fetching anything from outside this machine. */
const SAMPLE_TYPES: ReadonlyMap<string, string> = new Map([
  ['parcel.jpg', 'image/jpeg'],
  ['voice.wav', 'audio/wav'],
  ['waybill.pdf', 'application/pdf'],
]);

let built: Promise<PageFiles> | undefined;

/** Builds or reads the page at the first request, once per process. */
const pageFiles = (): Promise<PageFiles> => {
  built ??= consolePage().catch((error: unknown) => {
    built = undefined;
    throw error;
  });
  return built;
};

/** The console: its page at `/`, scripts and styles at `/assets`, samples, and the page's own data at `/console`. */
export const consoleRoutes = (service: RunningService, getInspector: () => Inspector | undefined): Hono =>
  new Hono()
    .get('/', servePage)
    .get('/assets/:file', servePage)
    .get('/samples/:file', serveSample)
    .route('/console', consoleData(service, getInspector));

const servePage = async (context: Context) => {
  const path = context.req.path === '/' ? '/index.html' : context.req.path;
  const text = (await pageFiles()).get(path);
  if (text === undefined) return context.body(null, 404);
  return context.body(text, 200, {
    'Content-Type': PAGE_TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    // The names of scripts and styles contain a hash of their content; the page itself must match the server.
    'Cache-Control': path === '/index.html' ? 'no-store' : 'public, max-age=31536000, immutable',
  });
};

const serveSample = async (context: Context) => {
  const file = context.req.param('file') ?? '';
  const type = SAMPLE_TYPES.get(file);
  if (type === undefined) return context.body(null, 404);
  const bytes = await readFile(new URL(`../console/samples/${file}`, import.meta.url));
  return context.body(Uint8Array.from(bytes), 200, {
    'Content-Type': type,
    // The samples do not come from users, and a browser's document viewer needs its own scripts and styles.
    'Content-Security-Policy': "frame-ancestors 'none'",
  });
};
