import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FaultDeck } from './fault-deck.ts';
import type { CallFault, Outage } from './parts.ts';
import type { ServiceAnswer } from './service-errors.ts';

/** A call that went through a proxy. */
export interface ProxiedCall {
  /** The start and end of the call, in milliseconds of the machine's clock. */
  readonly startedMs: number;
  readonly endedMs: number;
  /** The request's path and body. */
  readonly path: string;
  readonly body: string;
  readonly fault: CallFault | Outage | undefined;
  /** The service's own response. Undefined if the call was not passed on, or if the service reset the connection. */
  readonly answer: ServiceAnswer | undefined;
  /** The status that the caller received. Undefined if it received no complete response. */
  readonly answeredStatus: number | undefined;
}

export interface FaultProxyOptions {
  readonly deck: FaultDeck<CallFault>;
  readonly errors: { readonly throttled: ServiceAnswer; readonly failed: ServiceAnswer };
  readonly delayMs: number;
  readonly onFault: (fault: CallFault | Outage) => void;
  readonly onCall?: ((call: ProxiedCall) => void) | undefined;
  /** Replaces how calls are passed on, for a proxy that is broken on purpose. */
  readonly tamper?: ((call: ForwardedCall, passOn: PassOn) => Promise<ServiceAnswer | undefined>) | undefined;
}

export interface ForwardedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Passes a call on. Returns undefined if the service resets the connection. */
export type PassOn = (call: ForwardedCall) => Promise<ServiceAnswer | undefined>;

export interface RunningOutage {
  /**
   * Whether a call was made during the outage. Always true if connections are refused, because those cannot be seen.
   */
  isNoticed(): boolean;
  /** Ends the outage. Connections are accepted and calls are answered again. */
  end(): Promise<void>;
}

/** A proxy in front of a local service that injects faults. */
export interface FaultProxy {
  readonly url: string;
  /** Sets the service. Without a service, calls are not answered. */
  setTarget(url: string): void;
  /** Starts or ends the injection of faults. */
  setActive(isActive: boolean): void;
  startOutage(outage: Outage): RunningOutage;
  close(): Promise<void>;
}

const LONG_DELAY = { share: 0.2, minMs: 2_000, maxMs: 3_000 };

export const startFaultProxy = async (options: FaultProxyOptions): Promise<FaultProxy> => {
  const { deck, errors, onFault, onCall } = options;
  const agent = new Agent({ keepAlive: true });
  const closing = new AbortController();
  let target: URL | undefined;
  let isActive = false;
  let outage: Outage | undefined;
  const unanswered = new Set<ServerResponse>();
  let onUnanswered = (): void => undefined;

  const passOn: PassOn = ({ method, path, headers, body }) =>
    new Promise((resolve) => {
      if (target === undefined) return resolve(undefined);
      const forwarded = request(new URL(path, target), {
        method,
        agent,
        // The local servers answer only requests to their own address.
        headers: { ...headers, host: target.host, connection: 'keep-alive', 'content-length': body.byteLength },
        signal: closing.signal,
      });
      forwarded.on('error', () => resolve(undefined));
      forwarded.on('response', async (response) => {
        const text = await readAll(response);
        if (text === undefined) return resolve(undefined);
        resolve({ status: response.statusCode ?? 502, headers: headersOf(response), body: text.toString() });
      });
      forwarded.end(body);
    });
  const forward: PassOn = options.tamper ? (call) => options.tamper?.(call, passOn) ?? passOn(call) : passOn;

  const delay = () => {
    const { share, minMs, maxMs } = LONG_DELAY;
    const ms = deck.random() < share ? minMs + deck.random() * (maxMs - minMs) : deck.random() * options.delayMs;
    return pause(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  };

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const startedMs = Date.now();
    const body = await readAll(incoming);
    if (body === undefined) return;
    const call: ForwardedCall = {
      method: incoming.method ?? 'GET',
      path: incoming.url ?? '/',
      headers: incoming.headers,
      body,
    };
    // A connection that was open when the outage started is not reused during it.
    outgoing.shouldKeepAlive = outage === undefined;
    const fault = outage === 'unanswered' ? outage : isActive ? deck.next() : undefined;
    if (fault !== undefined) onFault(fault);
    if (fault === 'late request') await delay();
    const isPassedOn = fault === undefined || !NOT_PASSED_ON.has(fault);
    const answer = isPassedOn ? await forward(call) : undefined;
    if (fault === 'late answer') await delay();
    if (fault === 'unanswered') {
      onUnanswered();
      await leaveUnanswered(outgoing);
    }
    const status = await respond(outgoing, answerOf(fault, answer, errors));
    onCall?.({
      startedMs,
      endedMs: Date.now(),
      path: call.path,
      body: body.toString(),
      fault,
      answer,
      answeredStatus: status,
    });
  };

  /** Waits until the caller gives up or the outage ends, which resets the connection. */
  const leaveUnanswered = async (outgoing: ServerResponse): Promise<void> => {
    if (outgoing.destroyed) return;
    unanswered.add(outgoing);
    await once(outgoing, 'close');
    unanswered.delete(outgoing);
  };

  const open = async (port: number): Promise<Server> => {
    for (;;) {
      const server = createServer((incoming, outgoing) => void handle(incoming, outgoing));
      // Longer than any caller keeps a connection, so that only an injected fault ends one.
      server.keepAliveTimeout = 120_000;
      server.listen(port, '127.0.0.1');
      try {
        await once(server, 'listening');
        return server;
      } catch (error) {
        // After an outage, another program may briefly use this port for an outgoing connection.
        if (port === 0) throw error;
        await pause(50);
      }
    }
  };

  let server = await open(0);
  // A TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const refused = new Set<Server>();
  return {
    url: `http://127.0.0.1:${port}`,
    setTarget(url) {
      target = new URL(url);
    },
    setActive(active) {
      isActive = active;
    },
    startOutage(started) {
      outage = started;
      if (started === 'unanswered') {
        let isNoticed = false;
        onUnanswered = () => {
          isNoticed = true;
        };
        return {
          isNoticed: () => isNoticed,
          async end() {
            outage = undefined;
            for (const outgoing of unanswered) outgoing.socket?.resetAndDestroy();
          },
        };
      }
      onFault(started);
      const previous = server;
      refused.add(previous);
      previous.close(() => refused.delete(previous));
      previous.closeIdleConnections();
      return {
        isNoticed: () => true,
        async end() {
          server = await open(port);
          outage = undefined;
        },
      };
    },
    async close() {
      closing.abort();
      agent.destroy();
      for (const one of [server, ...refused]) {
        one.closeAllConnections();
        one.close();
      }
    },
  };
};

const NOT_PASSED_ON: ReadonlySet<string> = new Set(['unanswered', 'reset before', 'throttled', 'failed before']);

const answerOf = (
  fault: CallFault | Outage | undefined,
  answer: ServiceAnswer | undefined,
  { throttled, failed }: FaultProxyOptions['errors'],
): ServiceAnswer | undefined => {
  switch (fault) {
    case 'throttled':
      return throttled;
    case 'failed before':
    case 'failed after':
      return failed;
    case 'reset before':
    case 'reset after':
    case 'unanswered':
      return undefined;
    default:
      return answer;
  }
};

/** Returns the status if the caller has received the whole response. */
const respond = async (outgoing: ServerResponse, answer: ServiceAnswer | undefined): Promise<number | undefined> => {
  if (outgoing.destroyed) return undefined;
  if (answer === undefined) {
    outgoing.socket?.resetAndDestroy();
    return undefined;
  }
  const { status, headers, body } = answer;
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
  if (!outgoing.writableFinished) await Promise.race([once(outgoing, 'finish'), once(outgoing, 'close')]);
  return outgoing.writableFinished ? status : undefined;
};

/** Returns undefined if the connection ended early. */
const readAll = async (message: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
};

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !['connection', 'keep-alive', 'transfer-encoding', 'content-length'].includes(name))
      .map(([name, value]) => [name, String(value)]),
  );
