import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { logFileOf } from '../../local/functions/functions.ts';
import type { Interpose } from '../../local/stack/interposed.ts';
import { type MeteredCall, startMeterProxies } from './meter-proxies.ts';
import { type MeteredParts, meteredInterpose } from './metered-interpose.ts';
import { createTableMeter } from './table-meter.ts';

export type Trigger = 'http' | 'queue' | 'stream' | 'other';

export interface MeteredInvocation {
  readonly functionName: string;
  readonly trigger: Trigger;
  readonly records: readonly unknown[];
  readonly eventBytes: number;
  readonly startMs: number;
  readonly endMs: number;
}

const POLL_MS = 10;
/** Longer than the batching window of a table's stream, and its mapping polls more often than the rest. */
const QUIET_MS = 1_700;

/** Everything that a run's functions did, in order. */
export interface Meters extends AsyncDisposable {
  readonly interpose: Interpose;
  readonly calls: readonly MeteredCall[];
  readonly invocations: readonly MeteredInvocation[];
  /** Runs an action and waits until it has caused this many invocations other than by the stream. */
  readonly causing: (invocations: number, act: () => Promise<unknown>) => Promise<void>;
  /** Waits until nothing has happened for a moment. */
  readonly quiet: () => Promise<void>;
}

const event = z.object({
  requestContext: z.object({ http: z.unknown() }).optional(),
  Records: z.array(z.looseObject({ eventSource: z.string() })).optional(),
});
const triggerOf = ({ requestContext, Records }: z.output<typeof event>): Trigger => {
  if (requestContext?.http) return 'http';
  const source = Records?.[0]?.eventSource;
  if (source === 'aws:sqs') return 'queue';
  return source === 'aws:dynamodb' ? 'stream' : 'other';
};

/** Returns how many bytes a function has written to its log. */
export const logBytes = (functionName: string, folder: string): number =>
  readFileSync(logFileOf(functionName, { folder })).length;

/** Starts proxies that count what functions call, for any stack that the local cloud runs. */
export const startMeters = async (): Promise<Meters> => {
  await using stack = new AsyncDisposableStack();
  const calls: MeteredCall[] = [];
  const invocations: MeteredInvocation[] = [];
  let running = 0;
  let tableMeter: ReturnType<typeof createTableMeter> | undefined;

  const proxies = stack.use(
    await startMeterProxies(
      (call) => calls.push(call),
      () => tableMeter,
    ),
  );
  const meter: MeteredParts['invocations'] =
    ({ declaration: { name }, invoke }) =>
    async (text) => {
      const parsed = event.parse(JSON.parse(text));
      running += 1;
      const startMs = performance.now();
      const result = await invoke(text);
      running -= 1;
      if (!result.ok) throw new Error(`${name}: ${result.error.errorMessage}`);
      const { Records: records = [] } = parsed;
      const eventBytes = Buffer.byteLength(text);
      const trigger = triggerOf(parsed);
      invocations.push({ functionName: name, trigger, records, eventBytes, startMs, endMs: performance.now() });
      return result;
    };

  const resources = stack.move();
  const causes = () => invocations.filter(({ trigger }) => trigger !== 'stream').length;
  return {
    interpose: meteredInterpose(proxies, {
      onEmulators: ({ dynamodb }) => {
        tableMeter = createTableMeter(dynamodb);
      },
      onClient: (sqs) => resources.defer(() => sqs.destroy()),
      invocations: meter,
    }),
    calls,
    invocations,
    async causing(expected, act) {
      const before = causes();
      await act();
      const deadline = performance.now() + 30_000;
      while (causes() < before + expected || running > 0) {
        if (performance.now() > deadline)
          throw new Error(`Expected ${expected} invocations, saw ${causes() - before}.`);
        await pause(POLL_MS);
      }
    },
    async quiet() {
      let seen = -1;
      while (seen !== calls.length + invocations.length || running > 0) {
        seen = calls.length + invocations.length;
        await pause(QUIET_MS);
      }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
