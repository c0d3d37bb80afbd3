import { describe, expect, it } from 'vitest';
import { startTestSandbox } from '../../../support/running-sandbox.ts';

describe('console page', () => {
  it('is served at / with a Content-Security-Policy that allows only its own origin', async () => {
    const { url } = await startTestSandbox();

    const page = await fetch(`${url}/`);
    const html = await page.text();

    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    );
    expect(page.headers.get('content-security-policy')).not.toMatch(/unsafe|https?:|\*/);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => new URL(path, page.url));
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const asset of assets) {
      const response = await fetch(asset);
      expect([asset.origin, response.status, (await response.text()).length > 0]).toEqual([url, 200, true]);
    }
    expect(html).not.toMatch(/<style|style=|<script(?![^>]*src=)/);
  });

  it('returns 404 with an empty body for unknown paths (field notes, "The API\'s answers")', async () => {
    const { url } = await startTestSandbox();

    // The names of what every object inherits are unknown too.
    const samples = ['..%2Fbuild-page.ts', 'constructor', '__proto__', '%E0%A4%A'].map((file) => `/samples/${file}`);
    for (const path of ['/assets/nothing.js', '/assets/constructor', ...samples, '/index.html', '/nothing']) {
      const response = await fetch(url + path);
      expect([path, response.status, await response.text()]).toEqual([path, 404, '']);
    }
  });

  it('serves a sample photo, audio file, and document to attach', async () => {
    const { url } = await startTestSandbox();

    const types = await Promise.all(
      ['parcel.jpg', 'voice.wav', 'waybill.pdf'].map(async (file) => {
        const { status, headers } = await fetch(`${url}/samples/${file}`);
        return [status, headers.get('content-type'), headers.get('x-content-type-options')];
      }),
    );

    expect(types).toEqual([
      [200, 'image/jpeg', 'nosniff'],
      [200, 'audio/wav', 'nosniff'],
      [200, 'application/pdf', 'nosniff'],
    ]);
  });

  it.each(['/sandbox/state', '/api/v1.0/message/v3', '/nothing'])(
    'lets a browser execute nothing in %s, embed it nowhere, and guess no type',
    async (path) => {
      const { url } = await startTestSandbox();

      const { headers } = await fetch(url + path);

      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    },
  );
});
