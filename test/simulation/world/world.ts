import { type ContactRef, contactRef } from '../../../lambdas/domain/contact.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import { parseContactName } from '../../../lambdas/table/keys.ts';
import { ACCOUNT, NOW, sendRules, USER } from '../../support/builders.ts';
import { contactItems, joinContactItems } from '../../support/contact-items.ts';
import { createSimulatedChatService, type Effect, type HttpAnswer, type SimulatedChatService } from './chat-service.ts';
import type { Fault } from './faults.ts';
import { createInvocations } from './invocations.ts';
import { createJournal, type Journal, type JournalCall } from './journal.ts';
import { createSimulatedQueue, type SimulatedQueue, VISIBILITY_TIMEOUT_SECONDS } from './queues.ts';
import { createSimulatedSchedules, type SimulatedSchedules } from './schedules.ts';
import { type CalledChatService, createSendProcess, LIMITS } from './send-process.ts';
import { intern, serialize } from './serialize.ts';
import { createTableState, type ItemWrite, nameOf, type TableState } from './table.ts';
import { type Alternative, createTurns, drained, type Turns } from './turns.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
import type { WorldOptions } from './world-options.ts';

/** Chooses what happens next. `key` identifies the state of the world. Returns -1 to abandon the run. */
export type Choose = (alternatives: readonly Alternative[], key: () => string) => number;

export interface World {
  readonly clock: VirtualClock;
  readonly table: TableState;
  readonly queue: SimulatedQueue;
  readonly schedules: SimulatedSchedules;
  readonly chatService: SimulatedChatService;
  readonly turns: Turns;
  readonly journal: Journal;
  readonly options: WorldOptions;
  /** How many invocations there were. */
  readonly invocations: number;
  /** Everything that is stored about a contact, in one object. */
  contactItem(address?: string): Item | undefined;
  sendItem(requestId: string): Item | undefined;
  /** Runs until nothing is left to do. Returns why it ended. */
  run(choose: Choose): Promise<'quiet' | 'abandoned' | 'endless'>;
}

/** What the invariants listen to. */
export interface WorldObserver {
  readonly onCall?: (world: World, call: JournalCall) => void;
  readonly onWrite?: (world: World, write: ItemWrite) => void;
}

const LEASE_MS = LIMITS.leaseSeconds * 1000;
/**
 * When Lambda ends an invocation: later than it does by default, so that a process can outlive its lease, but earlier
 * than its messages become visible again.
 */
const SUSPENDED_LIMIT_MS = VISIBILITY_TIMEOUT_SECONDS * 1000 - 1_000;
/** The process of the second delivery. */
const SECOND = 'd1.1';
const TOKEN = 'token-of-the-simulation';
/** Longer than a series of attempts without a pause, but short enough for retries in the time reserved for them. */
const OUTAGE_MS = 250;
const MAX_INVOCATIONS = 60;
/** How often time may pass while an event or a late answer could still happen. */
const MAX_POSTPONEMENTS = 1;

export const refOf = (address: string): ContactRef => contactRef(ACCOUNT.platform, address);

export const createWorld = (options: WorldOptions, observer: WorldObserver = {}): World => {
  const { batchSize = 1, concurrency = 2, maxFaults = 0, freeLates = 0, allowedFaults } = options;
  const { isContactConstant = false, prunes = true, isSymmetric = false } = options;
  const clock = createVirtualClock(NOW);
  const journal = createJournal();
  let current = 'nobody';
  let tableId: number | undefined;
  let isRunning = false;
  /** Thrown by the run: the function under test would take it for a failed write. */
  let brokenPromise: Error | undefined;

  const table = createTableState((write) => {
    tableId = undefined;
    if (isRunning && isContactConstant && /^(CONTACT|ACCOUNT)#/.test(String(write.after?.pk))) {
      brokenPromise = new Error('The scenario promises that nothing writes the contact or the circuit breaker.');
    }
    if (current === 'nobody') return;
    const contact = parseContactName(write.after?.contact);
    journal.wrote(current, write, clock.ms, contact && storedContact(contact));
    observer.onWrite?.(world, write);
  });
  const storedContact = (contact: ContactRef) => joinContactItems(contact, (key) => table.items.get(nameOf(key)));

  const turns = createTurns({
    clock,
    lateMs: LEASE_MS,
    outageMs: OUTAGE_MS,
    onCall({ process, label }) {
      current = process;
      const [, name] = /^read (CONTACT#\S+)/.exec(label) ?? [];
      const contact = parseContactName(name);
      if (name && contact) journal.readContact(process, name, storedContact(contact));
    },
    onBreak(process, how) {
      if (how === 'died') invocations.forget(process);
      journal.broke(process, ({ requestId, claimId }) => {
        const item = world.sendItem(requestId);
        return item?.claimId !== claimId || item.state !== 'claimed';
      });
    },
  });

  const queue = createSimulatedQueue(clock);
  const schedules = createSimulatedSchedules(clock, (message) => queue.put(message));
  const service = createSimulatedChatService({
    clock,
    accessToken: TOKEN,
    approvedTemplates: ['parcel_update'],
    ...options.chatService,
  });
  /** The chat service as processes reach it: calls of its sending endpoints are recorded in the journal. */
  const chatService: CalledChatService = {
    post({ path, token, body, isAnswered }) {
      const before = service.effects.length;
      const answer = service.post(path, token, body);
      recordCall({ path, body, isAnswered }, service.effects[before], answer);
      return answer;
    },
    lose: (call) => recordCall(call, undefined, undefined),
  };
  const recordCall = (
    { path, body, isAnswered }: Parameters<CalledChatService['lose']>[0],
    effect: Effect | undefined,
    answer: HttpAnswer | undefined,
  ): void => {
    if (path !== 'message/v3' && path !== 'intent/v2') return;
    const call = {
      process: current,
      endpoint: path,
      body: body as JournalCall['body'],
      at: clock.ms,
      effect,
      isAnswered,
    };
    observer.onCall?.(world, journal.called(call, answer));
  };

  service.setCredit(options.hasCredit ?? true);
  for (const [address, stored] of Object.entries(options.contacts ?? {})) {
    for (const item of contactItems(refOf(address), stored)) table.put(item);
  }
  for (const [address, at] of Object.entries(options.lastWroteAt ?? {})) service.userWrites(address, Date.parse(at));
  for (const { request, body = JSON.stringify(request), ...ids } of options.queued) {
    const { groupId = request.platformContactId, deduplicationId = request.requestId } = ids;
    queue.put({ body, groupId, deduplicationId });
  }

  const invocations = createInvocations({
    clock,
    turns,
    queue,
    batchSize,
    concurrency,
    limitMs: SUSPENDED_LIMIT_MS,
    start(name) {
      const mutation = options.createMutation?.();
      return createSendProcess({
        name,
        clock,
        turns,
        table,
        queue,
        schedules,
        chatService,
        accessToken: TOKEN,
        account: ACCOUNT,
        rules: sendRules(options.rules),
        isContactConstant,
        random: options.random ?? (() => 0),
        answerMs: () => 0,
        ...(mutation && { mutation }),
      });
    },
  });

  let faults = 0;
  let lates = 0;
  let postponements = 0;
  const events = [...(options.events ?? [])];

  const isAllowed = (fault: Fault): boolean =>
    (allowedFaults?.includes(fault) ?? true) && (faults < maxFaults || (fault === 'late' && lates < freeLates));

  const timers = (): readonly number[] =>
    [turns.nextDueAt(), queue.nextVisibleAt(), schedules.nextDueAt(), invocations.nextDeadline()].filter(
      (time): time is number => time !== undefined && time > clock.ms,
    );

  const moveClock = (): boolean => {
    const times = timers();
    if (times.length === 0) return false;
    clock.moveTo(Math.min(...times));
    invocations.endOverdue();
    schedules.runDue();
    return true;
  };

  /** Whether a delivery has made a call; until then, the two are alike. */
  let isMoved = false;

  const alternatives = (): readonly Alternative[] => {
    const canGoFirst = prunes && !events.some(({ movesClock }) => movesClock);
    const all = turns.alternatives(isAllowed, canGoFirst);
    const possible = isSymmetric && prunes && !isMoved ? all.filter(({ process }) => process !== SECOND) : all;
    const found = possible.map((alternative) => ({
      ...alternative,
      apply() {
        const { fault, process } = alternative;
        if (process?.startsWith('d')) isMoved = true;
        if (fault === 'late' && lates < freeLates) lates += 1;
        else if (fault) faults += 1;
        alternative.apply();
        current = 'nobody';
      },
    }));
    if (canGoFirst && turns.hasIndependentCall) return found;
    for (const event of events) {
      if (event.isPossible?.(world) === false) continue;
      if (prunes && found.length > 0 && event.matters?.(turns.waitingCalls()) === false) continue;
      if (event.isDue?.(world)) found.length = 0;
      found.push({
        label: event.label,
        process: 'events',
        isCall: false,
        apply() {
          events.splice(events.indexOf(event), 1);
          turns.observe('events', event.label);
          // An abandoned run fails the calls that are still pending.
          Promise.resolve(event.happen(world)).catch(() => undefined);
        },
      });
    }
    return found;
  };
  const passTime: Alternative = {
    label: 'time passes',
    isCall: false,
    apply() {
      postponements += 1;
      moveClock();
    },
  };

  const key = (): string => {
    tableId ??= intern(
      [...table.items]
        .map(([name, item]) => `${name}${serialize(item)}`)
        .toSorted()
        .join('\n'),
    );
    return [
      clock.ms,
      tableId,
      intern([queue.key(), schedules.key(), service.key(), journal.key()].join('\n')),
      events.map(({ label }) => label).join(),
      turns.key(),
      invocations.key(),
      `${faults},${lates},${postponements}`,
    ].join('/');
  };

  const world: World = {
    clock,
    table,
    queue,
    schedules,
    chatService: service,
    turns,
    journal,
    options,
    get invocations() {
      return invocations.count;
    },
    contactItem: (address = USER) => storedContact(refOf(address)),
    sendItem: (requestId) => table.items.get(`SEND#${requestId} SEND`),
    async run(choose) {
      isRunning = true;
      for (;;) {
        invocations.startAll();
        await drained();
        if (invocations.count > MAX_INVOCATIONS) return 'endless';
        const found = alternatives();
        const canWait = !turns.isBusy && postponements < MAX_POSTPONEMENTS && found.length > 0 && timers().length > 0;
        const all = canWait ? [...found, passTime] : found;
        if (all.length === 0) {
          if (!moveClock()) return 'quiet';
          continue;
        }
        const choice = all[choose(all, key)];
        if (choice === undefined) {
          turns.close('webhook');
          return 'abandoned';
        }
        choice.apply();
        await drained();
        if (brokenPromise) throw brokenPromise;
      }
    },
  };
  return world;
};
