import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

export type SoakResult = {
  /** Resident memory of the sandbox's own process, in MB of a million bytes. */
  rssMb: number;
  /** The most that it was, where the system says so. */
  peakMb: number | undefined;
  seconds: number;
  delivered: number;
  /** How long the views took that a page asks for, in milliseconds. */
  viewMs: Record<string, number>;
};

const BATCH = 50;

/** Plays `events` events of `users` users through a sandbox that runs as a process of its own. */
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
      child.once('exit', () => reject(new Error('The sandbox ended.')));
      child.stdout.on('data', (text) => {
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(String(text));
        if (found) resolve(found[0]);
      });
    });
    // A reader of the feed, as the console is one.
    const reading = new AbortController();
    void fetch(`${url}/sandbox/feed`, { signal: reading.signal })
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
      const asked = performance.now();
      await get(url, `/sandbox${view}`);
      viewMs[view] = Math.round(performance.now() - asked);
    }
    reading.abort();
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

/** What `npm run sandbox` gives to node, flags for a small memory included. */
const sandboxCommand = async (): Promise<string[]> => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
  return String(scripts.sandbox).split(' ').slice(1);
};

/** Half of the events are users' messages, half are answers, whose Delivered is an event too. */
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
  const { values } = parseArgs({
    options: { count: { type: 'string', default: '10000' }, users: { type: 'string', default: '1000' } },
    allowPositionals: true,
  });
  console.log(await soak(Number(values.count), Number(values.users)));
}
