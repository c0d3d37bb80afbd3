import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ListeningServer } from '../../../../local/base/listen-locally.ts';
import { startAwsJsonServer } from '../../../../local/emulators/aws-json-server.ts';

let server: ListeningServer;
beforeAll(async () => {
  server = await startAwsJsonServer('application/json', ({ operation, url }) => {
    if (operation === 'Fail') throw new RangeError('Invalid time value');
    return { status: 200, body: { path: decodeURIComponent(url.pathname) } };
  });
});
afterAll(() => server.close());

/** Sends a request as it is, because `fetch` corrects malformed paths. Returns the status line. */
const request = (path: string, headers = ''): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.setEncoding('utf8');
    socket.once('data', (data) => {
      socket.destroy();
      resolve(String(data).split('\r\n')[0] ?? '');
    });
    socket.once('error', reject);
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`);
  });

it.each([
  ['a path that is no URL', '//', ''],
  ['an invalid escape sequence in the path', '/schedules/%E0%A4%A', ''],
  ['a value that the emulator cannot handle', '/', 'x-amz-target: Fail\r\n'],
])('returns an error for %s, and serves the next request', async (_name, path, headers) => {
  expect(await request(path, headers)).toBe('HTTP/1.1 500 Internal Server Error');
  expect(await request('/next')).toBe('HTTP/1.1 200 OK');
});
