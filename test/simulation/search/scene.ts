import { type ContactRef, contactRef } from '../../../lambdas/domain/contact.ts';
import type { Answer } from '../../../lambdas/manage/api/answer.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import { parseContactName } from '../../../lambdas/table/keys.ts';
import { ACCOUNT, NOW, USER } from '../../support/builders.ts';
import { joinContactItems } from '../../support/contact-items.ts';
import { createSimulatedBus, type SimulatedBus } from '../world/bus.ts';
import { createSimulatedChatService, type SimulatedChatService } from '../world/chat-service.ts';
import { FAULTS, type Fault } from '../world/faults.ts';
import { createInvocations, type Invocations } from '../world/invocations.ts';
import { createJournal, type Journal, type JournalCall } from '../world/journal.ts';
import type { ManageQueues } from '../world/manage-process.ts';
import { PUBLISH_TIMEOUT_MS } from '../world/publish-process.ts';
import type { SimulatedPlainQueue } from '../world/queues.ts';
import { createSimulatedSchedules, type SimulatedSchedules } from '../world/schedules.ts';
import { LIMITS } from '../world/send-process.ts';
import { intern, serialize } from '../world/serialize.ts';
import { createSimulatedStream, type SimulatedStream } from '../world/stream.ts';
import { createTableState, type ItemWrite, nameOf, type TableState } from '../world/table.ts';
import { type Alternative, type Choose, createTurns, drained, type Turns } from '../world/turns.ts';
import { createVirtualClock, type VirtualClock } from '../world/virtual-clock.ts';
import { createSceneActors } from './scene-actors.ts';
import { recordingChatService } from './scene-chat-service.ts';
import { createSceneFunctions } from './scene-functions.ts';
import type { SceneOptions } from './scene-options.ts';
import { createSceneQueues, queueRequests } from './scene-queues.ts';
import { readView, type View } from './view.ts';
import { createWebhookSender, type WebhookSender } from './webhook-sender.ts';

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
  readonly sender: WebhookSender;
  /** What the management API shows at the end of a run with posts. */
  readonly view: View;
  /** The claims of sends and the calls to the chat service's sending endpoints. */
  readonly journal: Journal;
  /** The process whose call happens. */
  readonly current: string;
  /** The choices so far, among everything that could happen. */
  readonly path: readonly number[];
  item(pk: string, sk?: string): Item | undefined;
  /** Everything that is stored about a contact, in one object. @default the user */
  contactItem(contact?: ContactRef): Item | undefined;
  run(choose: Choose): Promise<'quiet' | 'abandoned' | 'endless'>;
}

export interface SceneObserver {
  readonly onWrite?: (scene: Scene, write: ItemWrite) => void;
  readonly onCall?: (scene: Scene, process: string, label: string) => void;
  readonly onSend?: (scene: Scene, call: JournalCall) => void;
  /** @param name of the caller */
  readonly onAnswer?: (scene: Scene, name: string) => void;
}

export const TOKEN = 'token-1';
const USUAL_FAULTS = FAULTS.filter((fault) => fault !== 'late' && fault !== 'overdue');
const MAX_INVOCATIONS = 60;
const MAX_POSTPONEMENTS = 1;
/** Longer than a series of attempts without a pause, but short enough for retries in the time reserved for them. */
const OUTAGE_MS = 250;

export const userRef: ContactRef = contactRef(ACCOUNT.platform, USER);

export const createScene = (options: SceneOptions, observer: SceneObserver = {}): Scene => {
  const { consumes = [], posts = [], faults = USUAL_FAULTS, maxFaults = 0, freeLates = 0, allowedFaults } = options;
  const { independence } = options;
  const journal = createJournal();
  const clock = createVirtualClock(NOW);
  const answers = new Map<string, Answer>();
  const facts = new Set<string>();
  const secret = { value: TOKEN };
  const path: number[] = [];
  let isRunning = false;
  let view: View = { conversations: new Map(), messages: new Map() };
  let current = 'nobody';
  let faultCount = 0;
  let lateCount = 0;
  let postponements = 0;

  const table = createTableState((write) => {
    if (!isRunning) return;
    if (options.publishes) stream.append(write);
    if (current !== 'nobody') {
      const contact = parseContactName(write.after?.contact);
      journal.wrote(current, write, clock.ms, contact && contactItem(contact));
    }
    observer.onWrite?.(scene, write);
  });
  const contactItem = (contact: ContactRef = userRef) =>
    joinContactItems(contact, (key) => table.items.get(nameOf(key)));
  const turns = createTurns({
    clock,
    lateMs: LIMITS.leaseSeconds * 1000,
    outageMs: OUTAGE_MS,
    ...(independence && { commutes: (call, waiting) => independence.commutes(call, waiting) }),
    onCall({ process, label, fault, touches }) {
      current = process;
      if (fault) facts.add('a fault');
      if (fault && process.startsWith('post')) sender.noteFault(process, `${fault} ${label}`);
      const [, name] = /^read (CONTACT#\S+)/.exec(label) ?? [];
      const contact = parseContactName(name);
      if (name && contact) journal.readContact(process, name, contactItem(contact));
      if (touches) {
        independence?.touched(process, touches);
        // Its effect comes later, beside whatever its process does then.
        if (fault === 'overdue') independence?.touched(`late ${process}`, touches);
      }
      // The deletion of a delivery's message, its visibility, and an answer touch nothing that another process does.
      else if (!/^(delete the message|set the visibility|answer \d)/.test(label))
        throw new Error(`${label} touches what?`);
      observer.onCall?.(scene, process, label);
    },
    onBreak(process, how) {
      journal.broke(process, ({ requestId, claimId }) => {
        const send = scene.item(`SEND#${requestId}`);
        return send?.claimId !== claimId || send.state !== 'claimed';
      });
      if (how === 'late') return;
      for (const one of consumers) one.forget(process);
      stream.forget(process);
      actors.restart(process);
    },
  });
  const queues = createSceneQueues(clock);
  const { send: fifo, inbound } = queues;
  const schedules = createSimulatedSchedules(clock, (message) => fifo.put(message));
  const service = createSimulatedChatService({
    clock,
    accessToken: TOKEN,
    approvedTemplates: ['parcel_update'],
    ...options.chatService,
  });
  service.setCredit(options.hasCredit ?? true);
  const chatService = recordingChatService(service, (recorded, answer) => {
    const called = journal.called({ process: current, at: clock.ms, ...recorded }, answer);
    observer.onSend?.(scene, called);
  });
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
    options,
  });
  const consumers: readonly Invocations[] = consumes.map((name) => createInvocations(functions.consumers[name]));

  const sender = createWebhookSender({ posts, turns, startReceive: functions.startReceive });
  const actors = createSceneActors({
    scene: () => scene,
    options,
    turns,
    table,
    sender,
    functions,
    observer,
    answers,
  });

  const events = [...(options.events ?? [])];
  for (const { writes } of events) independence?.touched('events', { reads: [], writes: [writes] });
  const isFreeLate = (fault: Fault): boolean => fault === 'late' && lateCount < freeLates;
  const isAllowed = (fault: Fault): boolean =>
    (faultCount < maxFaults || isFreeLate(fault)) && faults.includes(fault) && (allowedFaults?.includes(fault) ?? true);
  const isFaulty = ({ process = '', fault }: Alternative): boolean =>
    fault === undefined || (options.faultsIn?.test(process) ?? true);

  /** What can happen next, without what can as well happen later, and without orders of calls that commute. */
  const everything = ({ prunes, waits }: { prunes: boolean; waits: boolean }): readonly Alternative[] => {
    const found = turns
      .alternatives(isAllowed, prunes)
      .filter(isFaulty)
      .map((alternative) => ({
        ...alternative,
        apply() {
          if (alternative.fault && isFreeLate(alternative.fault)) lateCount += 1;
          else if (alternative.fault) faultCount += 1;
          alternative.apply();
          current = 'nobody';
        },
      }));
    if (prunes) return found;
    for (const event of events) {
      if (event.isPossible?.(scene) === false) continue;
      if (waits && found.length > 0 && event.matters?.(turns.waitingCalls()) === false) continue;
      if (event.isDue?.(scene)) found.length = 0;
      found.push({
        label: event.label,
        process: 'events',
        isCall: false,
        apply() {
          events.splice(events.indexOf(event), 1);
          // An abandoned run fails the calls that are still pending.
          Promise.resolve(event.happen(scene)).catch(() => undefined);
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
          ...[fifo, inbound, queues.erasures, queues.scheduleDeadLetters, queues.publishFailures].map((queue) =>
            queue.key(),
          ),
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
      sender.key(),
      journal.key(),
      `${faultCount},${lateCount},${postponements}`,
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
    sender,
    path,
    get view() {
      return view;
    },
    journal,
    contactItem,
    get current() {
      return current;
    },
    item: (pk, sk = pk.split('#', 1)[0] ?? '') => table.items.get(`${pk} ${sk}`),
    async run(choose) {
      await options.prepare?.(scene);
      isRunning = true;
      await options.write?.(scene);
      queueRequests(fifo, options);
      actors.start();
      const how = await steps(choose);
      turns.closeAll();
      await drained();
      if (how !== 'abandoned' && posts.length > 0) view = await readView(table, options.createMutation?.().receive);
      return how;
    },
  };

  /** Not while an event could move the clock. */
  const canPrune = (): boolean => independence !== undefined && !events.some(({ movesClock }) => movesClock);

  const steps = async (choose: Choose): Promise<'quiet' | 'abandoned' | 'endless'> => {
    for (;;) {
      for (const one of consumers) one.startAll();
      actors.startPosts();
      const isStarted = options.publishes === true && stream.startAll();
      await drained();
      const invoked = consumers.reduce((sum, { count }) => sum + count, 0) + stream.count;
      if (invoked > MAX_INVOCATIONS) return 'endless';
      const prunes = canPrune() && turns.hasIndependentCall;
      const waits = independence !== undefined;
      const all = everything({ prunes, waits });
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
      const whole = prunes || events.length > 0 ? everything({ prunes: false, waits: false }) : all;
      if (independence && whole.length > 1) path.push(placeIn(whole, choice));
      choice.apply();
      await drained();
    }
  };
  return scene;
};

/** The place of a choice among everything that could happen, where a world that leaves nothing out finds it. */
const placeIn = (whole: readonly Alternative[], { label, process, fault }: Alternative): number =>
  whole.findIndex((one) => one.label === label && one.process === process && one.fault === fault);
