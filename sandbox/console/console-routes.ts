import { type Context, Hono } from 'hono';
import type { RunningService } from '../running-service.ts';
import { callsTo, messageWay } from './message-way.ts';
import { buildPageFiles, type PageFiles } from './page-files.ts';
import { sampleRoutes } from './sample-routes.ts';

/**
 * Nothing but what this server serves: no inline script or style, no outside address, no frame around the page.
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

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

let built: Promise<PageFiles> | undefined;

/** The page, built at its first request and kept for the life of the process. */
const pageFiles = (): Promise<PageFiles> => {
  built ??= buildPageFiles().catch((error: unknown) => {
    built = undefined;
    throw error;
  });
  return built;
};

/** Which parts the console can show beside the service's own. */
export type ConsoleParts = { machineRoom: boolean };

/** The console: one page at `/`, its script and style under `/assets`, and what only it asks for under `/console`. */
export const consoleRoutes = (service: RunningService, parts: () => ConsoleParts): Hono => {
  const serve = async (context: Context) => {
    const path = context.req.path === '/' ? '/index.html' : context.req.path;
    const text = (await pageFiles()).get(path);
    if (text === undefined) return context.body(null, 404);
    return context.body(text, 200, {
      'Content-Type': TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      // The names of script and style carry a digest of their content; the page itself is as new as the server.
      'Cache-Control': path === '/index.html' ? 'no-store' : 'public, max-age=31536000, immutable',
    });
  };
  return new Hono()
    .get('/', serve)
    .get('/assets/:file', serve)
    .route('/samples', sampleRoutes())
    .get('/console/parts', (context) => context.json(parts()))
    .get('/console/messages/:id', (context) => context.json(messageWay(service, context.req.param('id'))))
    .get('/console/calls/:contact', (context) => context.json(callsTo(service, context.req.param('contact'))));
};
