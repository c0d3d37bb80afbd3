import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { type ListeningServer, listenLocally } from '../../local/base/listen-locally.ts';

/** A call through a proxy, with its answer. */
export interface ProxiedCall {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly status: number;
  readonly answer: Buffer;
  /** On the clock of `performance.now()`. */
  readonly startMs: number;
  readonly endMs: number;
}

export interface RecordingProxy extends ListeningServer {
  setTarget(origin: string): void;
}

export interface RecordingProxyOptions<Noted> {
  /** Called before a call is forwarded. What it returns is passed to `after`. */
  readonly before?: (call: Pick<ProxiedCall, 'headers' | 'body'>) => Promise<Noted>;
  /** Called before the answer is passed on. */
  readonly after: (call: ProxiedCall, noted: Noted | undefined) => void | Promise<void>;
}

/** Starts a proxy in front of a local HTTP service that shows every call with its answer. */
export const startRecordingProxy = async <Noted>({
  before,
  after,
}: RecordingProxyOptions<Noted>): Promise<RecordingProxy> => {
  let target = '';
  const forward = (method: string | undefined, url: string, headers: IncomingHttpHeaders, body: Buffer) =>
    new Promise<{ status: number; headers: IncomingHttpHeaders; answer: Buffer }>((resolve, reject) => {
      // The local servers answer only requests to their own address.
      const host = new URL(target).host;
      const outgoing = request(new URL(url, target), { method, headers: { ...headers, host } }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(Buffer.from(chunk));
        resolve({ status: response.statusCode ?? 502, headers: response.headers, answer: Buffer.concat(chunks) });
      });
      outgoing.on('error', reject).end(body);
    });

  const server = createServer(async (incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming;
    try {
      const startMs = performance.now();
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
      const body = Buffer.concat(chunks);
      const noted = await before?.({ headers, body });
      const { status, headers: answered, answer } = await forward(method, url, headers, body);
      await after({ url, headers, body, status, answer, startMs, endMs: performance.now() }, noted);
      const { 'transfer-encoding': _encoding, connection: _connection, ...rest } = answered;
      outgoing.writeHead(status, { ...rest, 'content-length': answer.length }).end(answer);
    } catch {
      outgoing.destroy();
    }
  });
  const listening = await listenLocally(server);
  return {
    ...listening,
    setTarget(origin) {
      target = origin;
    },
  };
};
