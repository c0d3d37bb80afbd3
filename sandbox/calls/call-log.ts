import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { SandboxClock } from '../clock.ts';
import { parseJson } from '../http/read-body.ts';
import type { Store } from '../store/store.ts';

/** One call of the contract's API, with its answer. */
export type Call = {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** The body as JSON; its text when it is none, cut short when it is long; null when it was not read. */
  readonly request: unknown;
  /** The `platformContactId` of the request. */
  readonly contact: string | null;
  /** The answer's HTTP status. */
  readonly status: number;
  readonly answer: unknown;
  /** The id of the message that was accepted. */
  readonly messageId: string | null;
};

/** How many calls are kept. */
const MAX_CALLS = 1_000;

/** What is kept of a body, in characters. */
const MAX_BODY_CHARACTERS = 16_384;

/** The latest calls, newest last. */
export type CallLog = {
  calls(): readonly Call[];
  clear(): void;
  /** Notes every call that passes, whatever becomes of it. */
  middleware: MiddlewareHandler;
};

export const createCallLog = (store: Store, clock: SandboxClock, onCall: (call: Call) => void): CallLog => {
  let calls = store.load<Call>('calls').map(([, call]) => call);
  return {
    calls: () => calls.slice(-MAX_CALLS),
    clear: () => {
      calls = [];
      store.clear('calls');
    },
    middleware: async (context, next) => {
      const at = clock.now().toISOString();
      await next();
      const read: unknown = context.get('readBody');
      const request = typeof read === 'string' ? shorten(read) : null;
      const answer = shorten(await context.res.clone().text());
      const { status } = context.res;
      const call: Call = {
        id: randomUUID(),
        at,
        method: context.req.method,
        path: context.req.path,
        request,
        contact: textOf(request, 'platformContactId'),
        status,
        answer,
        messageId: status === 200 ? textOf(answer, 'id') : null,
      };
      calls.push(call);
      store.put('calls', call.id, call);
      const forgotten = calls.at(-MAX_CALLS - 1);
      if (forgotten) store.delete('calls', forgotten.id);
      if (calls.length > 2 * MAX_CALLS) calls = calls.slice(-MAX_CALLS);
      onCall(call);
    },
  };
};

const shorten = (text: string): unknown => {
  if (text.length > MAX_BODY_CHARACTERS) return `${text.slice(0, MAX_BODY_CHARACTERS)}…`;
  const value = parseJson(text);
  return value === undefined ? text : value;
};

const textOf = (value: unknown, name: string): string | null => {
  const found = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === 'string' ? found : null;
};
