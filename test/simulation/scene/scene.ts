import { type ContactRef, contactRef } from '../../../lambdas/domain/contact.ts';
import type { Answer } from '../../../lambdas/manage/api.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import { ACCOUNT, NOW, USER } from '../../support/builders.ts';
import { createSimulatedBus, type SimulatedBus } from '../world/bus.ts';
import { createSimulatedChatService, type SimulatedChatService } from '../world/chat-service.ts';
import type { Fault } from '../world/faults.ts';
import { createInvocations, type Invocations } from '../world/invocations.ts';
import { ERASURE_VISIBILITY_SECONDS, type ManageQueues } from '../world/manage-process.ts';
import { PUBLISH_TIMEOUT_MS } from '../world/publish-process.ts';
import { createSimulatedQueue, type SimulatedPlainQueue, VISIBILITY_TIMEOUT_SECONDS } from '../world/queues.ts';
import { createSimulatedSchedules, type SimulatedSchedules } from '../world/schedules.ts';
import type { CalledChatService } from '../world/send-process.ts';
import { intern, serialize } from '../world/serialize.ts';
import { createSimulatedStream, type SimulatedStream } from '../world/stream.ts';
import { createTableState, type ItemWrite, type TableState } from '../world/table.ts';
import { type Alternative, createTurns, drained, type Turns } from '../world/turns.ts';
import { createVirtualClock, type VirtualClock } from '../world/virtual-clock.ts';
import type { Choose } from '../world/world.ts';
import { createSceneActors } from './scene-actors.ts';
import { createSceneFunctions } from './scene-functions.ts';
import type { SceneOptions } from './scene-options.ts';

/** Several functions on one table with their environment. Each port call waits for its turn. */
export interface Scene {
  readonly clock: VirtualClock;
  readonly table: TableState;
  readonly queues: ManageQueues<SimulatedPlainQueue>;
  readonly schedules: SimulatedSchedules;
  readonly chatService: SimulatedChatService;
  readonly bus: SimulatedBus;
  readonly stream: SimulatedStream;
  readonly turns: Turns;
  readonly options: SceneOptions;
  /** The responses of the management API, by the caller's name and the index of its call. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** What the invariants remember about a run, which is part of its state. */
  readonly facts: Set<string>;
  /** The access token as Secrets Manager has it. */
  readonly secret: { value: string };
  /** The posts that were acknowledged, by their place. */
  readonly acknowledged: ReadonlySet<number>;
  /** The number of calls to the chat service. */
  readonly calls: number;
  /** The process whose call happens. */
  readonly current: string;
  /** The choices so far, among everything that could happen. */
  readonly path: readonly number[];
  item(pk: string, sk?: string): Item | undefined;
  run(choose: Choose): Promise<'quiet' | 'abandoned' | 'endless'>;
}

export interface SceneObserver {
  readonly onWrite?: (scene: Scene, write: ItemWrite) => void;
  readonly onCall?: (scene: Scene, process: string, label: string) => void;
  /** @param name of the caller */
  readonly onAnswer?: (scene: Scene, name: string) => void;
}

export const TOKEN = 'token-1';
const MAX_INVOCATIONS = 60;
const MAX_POSTPONEMENTS = 1;
const INBOUND_VISIBILITY_SECONDS = 60;
/** Longer than a series of attempts without a pause, but short enough for retries in the time reserved for them. */
const OUTAGE_MS = 250;

export const userRef: ContactRef = contactRef(ACCOUNT.platform, USER);

export const createScene = (options: SceneOptions, observer: SceneObserver = {}): Scene => {
  const { consumes = [], maxFaults = 0, allowedFaults, independence } = options;
  const clock = createVirtualClock(NOW);
  const answers = new Map<string, Answer>();
  const facts = new Set<string>();
  const acknowledged = new Set<number>();
  const secret = { value: TOKEN };
  const path: number[] = [];
  let isRunning = false;
  let current = 'nobody';
  let calls = 0;
  let faultCount = 0;
  let postponements = 0;

  const table = createTableState((write) => {
    if (!isRunning) return;
    if (options.publishes) stream.append(write);
    observer.onWrite?.(scene, write);
  });
  const turns = createTurns({
    clock,
    lateMs: 0,
    outageMs: OUTAGE_MS,
    ...(independence && { commutes: (call, waiting) => independence.commutes(call, waiting) }),
    onCall({ process, label, fault, touches }) {
      current = process;
      if (fault) facts.add('a fault');
      if (label.startsWith('call ')) calls += 1;
      if (touches) independence?.touched(process, touches);
      // The deletion of a delivery's message, and its visibility, touch nothing that another process does.
      else if (!/^(delete the message|set the visibility)/.test(label)) throw new Error(`${label} touches what?`);
      observer.onCall?.(scene, process, label);
    },
    onBreak(process) {
      for (const one of consumers) one.forget(process);
      stream.forget(process);
      actors.restart(process);
    },
  });
  const fifo = createSimulatedQueue(clock, {
    name: 'send-',
    isFifo: true,
    visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
  });
  const standard = (name: string, visibilityTimeoutSeconds: number) =>
    createSimulatedQueue(clock, { name: `${name}-`, isFifo: false, visibilityTimeoutSeconds });
  const inbound = standard('inbound', INBOUND_VISIBILITY_SECONDS);
  const erasures = standard('erasure', ERASURE_VISIBILITY_SECONDS);
  const queues: ManageQueues<SimulatedPlainQueue> = {
    send: fifo,
    sendDeadLetters: fifo.deadLetterQueue,
    inbound,
    inboundDeadLetters: inbound.deadLetterQueue,
    erasures,
    erasureDeadLetters: erasures.deadLetterQueue,
    scheduleDeadLetters: standard('schedule', 30),
    publishFailures: standard('publish', 30),
  };
  const schedules = createSimulatedSchedules(clock, (message) => fifo.put(message));
  const service = createSimulatedChatService({
    clock,
    accessToken: TOKEN,
    approvedTemplates: ['parcel_update'],
    ...options.chatService,
  });
  service.setCredit(options.hasCredit ?? true);
  const chatService: CalledChatService = {
    post: ({ path: endpoint, token, body }) => service.post(endpoint, token, body),
    lose: () => undefined,
  };
  const bus = createSimulatedBus({
    ...(options.refusedByBus && { refuses: ({ detailType }) => detailType === options.refusedByBus }),
  });
  const stream = createSimulatedStream({
    clock,
    turns,
    batchSize: options.streamBatch ?? 10,
    shardOf: (pk) => (pk.endsWith('2') ? 1 : 0),
    timeoutMs: PUBLISH_TIMEOUT_MS,
    start: (name) => functions.startPublish(name),
  });

  const functions = createSceneFunctions({
    clock,
    turns,
    table,
    queues,
    sends: fifo,
    inbound,
    schedules,
    chatService,
    secret,
    bus,
    ...(options.rules && { rules: options.rules }),
    ...(options.random && { random: options.random }),
    ...(options.createMutation && { createMutation: options.createMutation }),
  });
  const consumers: readonly Invocations[] = consumes.flatMap((name) => {
    return [createInvocations(functions.consumers[name])];
  });

  const actors = createSceneActors({ scene: () => scene, options, turns, functions, observer, answers, acknowledged });

  const events = [...(options.events ?? [])];
  for (const { writes } of events) independence?.touched('events', { reads: [], writes: [writes] });
  const isAllowed = (fault: Fault): boolean =>
    faultCount < maxFaults && fault !== 'late' && fault !== 'overdue' && (allowedFaults?.includes(fault) ?? true);
  const isFaulty = ({ process = '', fault }: Alternative): boolean =>
    fault === undefined || (options.faultsIn?.test(process) ?? true);

  const everything = (prunes: boolean): readonly Alternative[] => {
    const found = turns
      .alternatives(isAllowed, prunes)
      .filter(isFaulty)
      .map((alternative) => ({
        ...alternative,
        apply() {
          if (alternative.fault) faultCount += 1;
          alternative.apply();
          current = 'nobody';
        },
      }));
    if (prunes && turns.hasIndependentCall) return found;
    for (const event of events) {
      if (event.isPossible?.(scene) === false) continue;
      if (event.isDue?.(scene)) found.length = 0;
      found.push({
        label: event.label,
        process: 'events',
        isCall: false,
        apply() {
          events.splice(events.indexOf(event), 1);
          event.happen(scene);
        },
      });
    }
    const next = nextTime();
    if (!turns.isBusy && found.length > 0 && postponements < MAX_POSTPONEMENTS && next !== undefined) {
      found.push({
        label: 'time passes',
        isCall: false,
        apply() {
          postponements += 1;
          moveClock(next);
        },
      });
    }
    return found;
  };
  const nextTime = (): number | undefined => {
    const all = [
      turns.nextDueAt(),
      schedules.nextDueAt(),
      ...Object.values(queues).map((queue) => queue.nextVisibleAt()),
      ...consumers.map((one) => one.nextDeadline()),
    ];
    const later = all.filter((time): time is number => time !== undefined && time > clock.ms);
    return later.length === 0 ? undefined : Math.min(...later);
  };
  const moveClock = (to: number): void => {
    clock.moveTo(to);
    for (const one of consumers) one.endOverdue();
    schedules.runDue();
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
      intern(
        [
          ...[fifo, inbound, erasures, queues.scheduleDeadLetters, queues.publishFailures].map((queue) => queue.key()),
          schedules.key(),
          service.key(),
          secret.value,
          options.publishes ? `${bus.key()}|${stream.key()}` : '',
          ...[...answers].map(([name, answer]) => `${name} ${serialize(answer)}`).toSorted(),
          ...[...facts].toSorted(),
        ].join('\n'),
      ),
      events.map(({ label }) => label).join(),
      turns.key(),
      consumers.map((one) => one.key()).join('|'),
      actors.key(),
      [...acknowledged].toSorted().join(),
      `${faultCount},${postponements},${calls}`,
    ].join('/');

  const scene: Scene = {
    clock,
    table,
    queues,
    schedules,
    chatService: service,
    bus,
    stream,
    turns,
    options,
    answers,
    facts,
    secret,
    acknowledged,
    path,
    get calls() {
      return calls;
    },
    get current() {
      return current;
    },
    item: (pk, sk = pk.split('#', 1)[0] ?? '') => table.items.get(`${pk} ${sk}`),
    async run(choose) {
      await options.prepare?.(scene);
      isRunning = true;
      await options.write?.(scene);
      for (const request of options.queued ?? []) {
        const { requestId: deduplicationId, platformContactId: groupId } = request;
        fifo.put({ body: JSON.stringify(request), groupId, deduplicationId });
      }
      actors.start();
      const how = await steps(choose);
      turns.closeAll();
      return how;
    },
  };

  const steps = async (choose: Choose): Promise<'quiet' | 'abandoned' | 'endless'> => {
    for (;;) {
      for (const one of consumers) one.startAll();
      actors.startPosts();
      const isStarted = options.publishes === true && stream.startAll();
      await drained();
      const invoked = consumers.reduce((sum, { count }) => sum + count, 0) + stream.count;
      if (invoked > MAX_INVOCATIONS) return 'endless';
      const all = everything(independence !== undefined);
      if (all.length === 0) {
        // An invocation without an event to publish has made no call.
        if (isStarted) continue;
        const next = nextTime();
        if (next === undefined) return 'quiet';
        moveClock(next);
        continue;
      }
      const choice = all[choose(all, key)];
      if (choice === undefined) return 'abandoned';
      remember(choice);
      choice.apply();
      await drained();
    }
  };
  /**
   * Notes the choice's place among everything that could happen, so that a world that leaves nothing out repeats it.
   */
  const remember = (chosen: Alternative): void => {
    const whole = independence === undefined ? undefined : everything(false);
    if (whole === undefined || whole.length < 2) return;
    path.push(whole.findIndex(({ label, process, fault }) => isSame(chosen, { label, process, fault })));
  };
  return scene;
};

const isSame = (
  one: Alternative,
  other: { readonly label: string; readonly process: string | undefined; readonly fault: Fault | undefined },
): boolean => one.label === other.label && one.process === other.process && one.fault === other.fault;
