import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { numbersOrExit } from '../../support/read-arguments.ts';

export interface SoakResult {
  /** Resident memory of the sandbox's process, in MB of a million bytes; NaN if the system does not report it. */
  rssMb: number;
  /** Peak resident memory; NaN if the system does not report it. */
  peakMb: number;
  seconds: number;
  delivered: number;
  /** How long each view of the console took, in milliseconds. */
  viewMs: Record<string, number>;
}

const BATCH = 50;

/** Sends `events` events from `users` users through a sandbox in a separate process. */
export const soak = async (events: number, users: number, args: readonly string[] = []): Promise<SoakResult> => {
  let delivered = 0;
  const webhook = createServer((request, response) => {
    request.resume().on('end', () => {
      delivered += 1;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  const address = webhook.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const child = spawn(
    process.execPath,
    [
      ...(await sandboxCommand()),
      '--webhook-url',
      `http://127.0.0.1:${port}/webhook`,
      '--credit',
      String(events),
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const started = Date.now();
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', () => reject(new Error('The sandbox exited.')));
      child.stdout.on('data', (text) => {
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(String(text));
        if (found) resolve(found[0]);
      });
    });
    // Reads the feed, as the console does.
    const reader = new AbortController();
    void fetch(`${url}/sandbox/feed`, { signal: reader.signal })
      .then((response) => response.body?.pipeTo(new WritableStream()))
      .catch(() => undefined);
    for (let first = 0; first < events; first += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, events - first) }, (_, index) =>
        playOne(url, first + index, users),
      );
      await Promise.all(batch);
    }
    for (;;) {
      if ((await get(url, '/sandbox/deliveries?limit=1')).pending === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const viewMs: Record<string, number> = {};
    for (const view of [
      '/users',
      '/state',
      '/calls',
      '/deliveries?limit=100',
      '/users/%2B5491100000001/conversation',
    ]) {
      const startedAt = performance.now();
      await get(url, `/sandbox${view}`);
      viewMs[view] = Math.round(performance.now() - startedAt);
    }
    reader.abort();
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    const mb = (name: string) => (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024) / 1e6;
    return {
      rssMb: Math.round(mb('VmRSS')),
      peakMb: Math.round(mb('VmHWM')),
      seconds: (Date.now() - started) / 1000,
      delivered,
      viewMs,
    };
  } finally {
    child.kill('SIGKILL');
    webhook.close();
    webhook.closeAllConnections();
  }
};

/** Returns the arguments of `npm run sandbox`, including its memory flags. */
const sandboxCommand = async (): Promise<string[]> => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
  return String(scripts.sandbox).split(' ').slice(1);
};

/** Half of the events are users' messages; the others are the Delivered notifications of answers. */
const playOne = async (url: string, index: number, users: number): Promise<void> => {
  const contact = `+54911${String(index % users).padStart(8, '0')}`;
  if (index % (2 * users) < users) {
    await post(`${url}/sandbox/users/${encodeURIComponent(contact)}/messages`, {
      text: `Message ${index} `.repeat(20),
    });
  } else {
    const message = { chatPlatform: 'chat', chatChannelNumber: '+5491100000000', platformContactId: contact };
    await post(`${url}/api/v1.0/message/v3`, { ...message, messageText: `Answer ${index} `.repeat(20) });
  }
};

const post = async (url: string, body: unknown): Promise<void> => {
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'access-token': 'sandbox-token' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
};

const get = async (url: string, path: string): Promise<Record<string, unknown>> =>
  Object(await (await fetch(url + path)).json());

if (import.meta.main) {
  const { count, users } = numbersOrExit({ count: 10_000, users: 1_000 });
  console.log(await soak(count, users));
}
