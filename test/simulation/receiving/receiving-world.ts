import { createDynamodbMessages } from '../../../lambdas/adapters/dynamodb/messages.ts';
import type { WindowPer } from '../../../lambdas/domain/contact.ts';
import type { MessageRecord } from '../../../lambdas/domain/message.ts';
import { idOf, parseContactName } from '../../../lambdas/table/keys.ts';
import { NOW } from '../../support/builders.ts';
import type { Fault } from '../world/faults.ts';
import type { Independence } from '../world/independence.ts';
import { createInvocations } from '../world/invocations.ts';
import { createSimulatedQueue, type SimulatedQueue } from '../world/queues.ts';
import { createReceiveProcess, type ReceiveMutation } from '../world/receive-process.ts';
import { intern, serialize } from '../world/serialize.ts';
import { createSimulatedTable, createTableState, type ItemWrite, type TableState } from '../world/table.ts';
import { type Alternative, createTurns, drained, type Turns } from '../world/turns.ts';
import { createVirtualClock, type VirtualClock } from '../world/virtual-clock.ts';
import type { Choose } from '../world/world.ts';
import type { OtherFunction } from './other-functions.ts';
import { createWebhookSender, type Post, type WebhookSender } from './webhook-sender.ts';

export interface ReceivingOptions {
  /** Every post is delivered at once, until it is acknowledged. */
  readonly posts: readonly Post[];
  readonly others?: readonly OtherFunction[];
  /** @default 'user' */
  readonly windowPer?: WindowPer;
  readonly maxFaults?: number;
  readonly allowedFaults?: readonly Fault[];
  readonly createMutation?: () => ReceiveMutation;
  /** Whether an event has no time but that of its arrival, so that schedules differ in it. @default false */
  readonly isTimeOfArrival?: boolean;
  /** Whether every schedule leaves the same table. @default true */
  readonly hasOneEnd?: boolean;
  /** Whether schedules are left out that differ only in the order of independent calls. @default true */
  readonly prunes?: boolean;
  /** Leaves out more of them: those that differ only in the order of calls that are known to commute. */
  readonly independence?: Independence;
  /** The table that every schedule must leave. */
  readonly reference?: string;
}

/** What the management API shows at the end of a run. */
export interface View {
  /** By the contact's name. */
  readonly conversations: ReadonlyMap<string, readonly MessageRecord[]>;
  readonly messages: ReadonlyMap<string, MessageRecord & { readonly body?: string }>;
}

export interface ReceivingWorld {
  readonly clock: VirtualClock;
  readonly table: TableState;
  readonly queue: SimulatedQueue;
  readonly sender: WebhookSender;
  readonly turns: Turns;
  readonly options: ReceivingOptions;
  /** Only at the end of a run. */
  readonly view: View;
  /** Every body that was stored in the table at some time. */
  readonly wasStored: ReadonlySet<string>;
  /** The bodies of the quarantined webhook requests. */
  quarantined(): readonly { readonly body: string; readonly reason: string | undefined }[];
  /** Runs until nothing is left to do. Returns why it ended. */
  /** The choices so far, as a world without `independence` repeats them. */
  readonly path: readonly number[];
  run(choose: Choose): Promise<'quiet' | 'abandoned' | 'endless'>;
}

export type OnReceivingWrite = (world: ReceivingWorld, write: ItemWrite) => void;

/** The function's timeout and the queue's visibility timeout, as the stack deploys them. */
const RECEIVE_TIMEOUT_SECONDS = 10;
const INBOUND_VISIBILITY_SECONDS = 60;
const MAX_INVOCATIONS = 30;
/** How often time may pass while the effect of an overdue call is still to come. */
const MAX_POSTPONEMENTS = 1;

/** Creates a world in memory in which the function `receive` runs, with everything that it calls and that calls it. */
export const createReceivingWorld = (options: ReceivingOptions, onWrite?: OnReceivingWrite): ReceivingWorld => {
  const { posts, others = [], windowPer = 'user', maxFaults = 0, allowedFaults, independence } = options;
  const path: number[] = [];
  let isComparing = false;
  const clock = createVirtualClock(NOW);
  let isRunning = false;
  let view: View = { conversations: new Map(), messages: new Map() };
  const wasStored = new Set<string>();
  const queued = new Map<string, string>();
  /** The faults of each process that has not answered yet. */
  const faults = new Map<string, readonly string[]>();
  let faultCount = 0;
  let postponements = 0;
  /** Other functions that have not ended. */
  let active = 0;

  const table = createTableState((write) => {
    for (const value of Object.values(write.after ?? {})) if (isEventBody(value)) wasStored.add(value);
    if (isRunning) onWrite?.(world, write);
  });
  const queue = createSimulatedQueue(clock, {
    isFifo: false,
    visibilityTimeoutSeconds: INBOUND_VISIBILITY_SECONDS,
  });
  const turns = createTurns({
    clock,
    lateMs: 0,
    outageMs: 0,
    ...(independence && { commutes: (call, waiting) => !isComparing && independence.commutes(call, waiting) }),
    onCall({ process, label, fault, touches }) {
      if (touches) {
        independence?.touched(process, touches);
        // Its effect comes later, beside whatever its process does then.
        if (fault === 'overdue') independence?.touched(`late ${process}`, touches);
      }
      if (fault && process.startsWith('w')) faults.set(process, [...(faults.get(process) ?? []), `${fault} ${label}`]);
    },
    onBreak(process) {
      faults.delete(process);
      invocations.forget(process);
      sender.unanswered(process);
    },
  });
  const startProcess = (name: string, aheadMs: number) => {
    const mutation = options.createMutation?.();
    return createReceiveProcess({
      name,
      clock,
      aheadMs,
      turns,
      table,
      queue,
      windowPer,
      onQueued: (message, rawBody) => queued.set(message, rawBody),
      ...(mutation && { mutation }),
    });
  };
  const faultsOf = (process: string): readonly string[] => {
    const found = faults.get(process) ?? [];
    faults.delete(process);
    return found;
  };
  const sender = createWebhookSender({ posts, turns, maxDeliveries: maxFaults + 2, faultsOf, startProcess });
  const invocations = createInvocations({
    clock,
    turns,
    queue,
    batchSize: 1,
    concurrency: 5,
    limitMs: RECEIVE_TIMEOUT_SECONDS * 1000,
    timeoutMs: RECEIVE_TIMEOUT_SECONDS * 1000,
    start: (name) => startProcess(name, 0),
  });

  const startOther = ({ name, run }: OtherFunction): void => {
    active += 1;
    turns.observe(name, 'started');
    const ownTable = createSimulatedTable(table, (label, perform, _, touches) =>
      turns.call({ process: name, label, perform, canEndProcess: false, ...(touches && { touches }) }),
    );
    // The end of an abandoned run fails the calls that are still pending.
    run(ownTable, clock)
      .catch(() => undefined)
      .finally(() => {
        active -= 1;
        turns.forget(name);
      });
  };

  const isAllowed = (fault: Fault): boolean =>
    faultCount < maxFaults && fault !== 'late' && (allowedFaults?.includes(fault) ?? true);
  const alternatives = (): readonly Alternative[] =>
    turns.alternatives(isAllowed, options.prunes ?? true).map((alternative) => ({
      ...alternative,
      apply() {
        if (alternative.fault) faultCount += 1;
        alternative.apply();
      },
    }));
  const nextTime = (): number | undefined => {
    const times = [turns.nextDueAt(), queue.nextVisibleAt(), invocations.nextDeadline()];
    const later = times.filter((time): time is number => time !== undefined && time > clock.ms);
    return later.length === 0 ? undefined : Math.min(...later);
  };
  const moveClock = (to: number): void => {
    clock.moveTo(to);
    invocations.endOverdue();
  };

  const key = (): string =>
    [
      clock.ms,
      intern(
        [...table.items]
          .map(([name, item]) => `${name}${serialize(item)}`)
          .toSorted()
          .join('\n'),
      ),
      intern(queue.key()),
      sender.key(),
      turns.key(),
      invocations.key(),
      [...faults]
        .map((entry) => entry.join())
        .toSorted()
        .join(';'),
      `${faultCount},${postponements},${active},${wasStored.size}`,
    ].join('/');

  const world: ReceivingWorld = {
    clock,
    table,
    queue,
    sender,
    turns,
    options,
    path,
    wasStored,
    quarantined: () => queue.deadLetters().map(({ body, reason }) => ({ body: queued.get(body) ?? body, reason })),
    get view() {
      return view;
    },
    async run(choose) {
      const ownTable = createSimulatedTable(table, async (_, perform) => perform());
      for (const { prepare } of others) await prepare?.(ownTable);
      isRunning = true;
      sender.start();
      for (const other of others) startOther(other);
      const how = await steps(choose);
      sender.stop();
      turns.closeAll();
      await drained();
      if (how !== 'abandoned') view = await readView(ownTable, options.createMutation?.());
      return how;
    },
  };

  const steps = async (choose: Choose): Promise<'quiet' | 'abandoned' | 'endless'> => {
    for (;;) {
      invocations.startAll();
      await drained();
      if (invocations.count > MAX_INVOCATIONS) return 'endless';
      const found = alternatives();
      const next = nextTime();
      const canWait = !turns.isBusy && postponements < MAX_POSTPONEMENTS && next !== undefined;
      if (found.length === 0) {
        if (next === undefined) return 'quiet';
        moveClock(next);
        continue;
      }
      const passTime: Alternative = {
        label: 'time passes',
        isCall: false,
        apply() {
          postponements += 1;
          if (next !== undefined) moveClock(next);
        },
      };
      const all = canWait ? [...found, passTime] : found;
      const choice = all[choose(all, key)];
      if (choice === undefined) return 'abandoned';
      if (independence) {
        isComparing = true;
        const whole = canWait ? [...alternatives(), passTime] : alternatives();
        isComparing = false;
        const { label, process, fault } = choice;
        const place = whole.findIndex((one) => one.label === label && one.process === process && one.fault === fault);
        if (whole.length > 1) path.push(place);
      }
      choice.apply();
      await drained();
    }
  };

  const readView = async (
    ownTable: ReturnType<typeof createSimulatedTable>,
    mutation: ReceiveMutation | undefined,
  ): Promise<View> => {
    const plain = createDynamodbMessages(ownTable);
    const messages = { ...plain, ...mutation?.reading?.(plain, ownTable) };
    const conversations = new Map<string, readonly MessageRecord[]>();
    const records = new Map<string, MessageRecord & { readonly body?: string }>();
    for (const { pk, contact } of table.items.values()) {
      const ref = parseContactName(contact);
      if (ref && !conversations.has(String(contact))) {
        conversations.set(String(contact), (await messages.readConversation(ref, { limit: 100 })).messages);
      }
      if (!String(pk).startsWith('MESSAGE#')) continue;
      const record = await messages.read(idOf(pk));
      if (record) records.set(idOf(pk), record);
    }
    return { conversations, messages: records };
  };
  return world;
};

const isEventBody = (value: unknown): value is string => typeof value === 'string' && value.startsWith('{');
