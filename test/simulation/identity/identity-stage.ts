import { ACCOUNT, sendRules } from '../../support/builders.ts';
import { sqsRecord } from '../../support/sqs-record.ts';
import { createSimulatedChatService, type Effect } from '../world/chat-service.ts';
import { createManageProcess, type ManagementRequest } from '../world/manage-process.ts';
import { parseObject } from '../world/parse-object.ts';
import type { ReachableQueue, SimulatedMessage } from '../world/queues.ts';
import { createReceiveProcess } from '../world/receive-process.ts';
import { type CalledChatService, createSendProcess } from '../world/send-process.ts';
import { createTableState, type TableState } from '../world/table.ts';
import type { PortTurns } from '../world/turns.ts';
import type { VirtualClock } from '../world/virtual-clock.ts';
import type { CreateIdentityMutation } from './identity-mutation.ts';

/** Parley's functions on a table in memory, with no concurrency and no faults, and the chat service beside them. */
export interface IdentityStage {
  readonly table: TableState;
  /** The messages that Parley sent, oldest first. */
  readonly effects: readonly Effect[];
  /** The chat service delivers an event. Returns whether it was stored; otherwise, it was quarantined. */
  deliver(event: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** An internal system queues a request, which is sent or refused at once. */
  send(request: Readonly<Record<string, unknown>>): Promise<void>;
  /** Calls the management API. */
  call(request: ManagementRequest): Promise<{ readonly status: number; readonly body: unknown }>;
  /** Finishes the erasures that were requested. */
  erase(): Promise<void>;
}

const TOKEN = 'token-1';
const MAX_PASSES = 20;
const PASS_MS = 1_000;
const MINUTE_MS = 60_000;

const PROCESS = { name: 'process' };
const UNUSED = { create: () => undefined, cancel: () => undefined, setVisibility: () => undefined };

/** Every call happens at once. */
const AT_ONCE: PortTurns = {
  call: async ({ perform }) => perform(),
  sleep: () => Promise.reject(new Error('Nothing waits.')),
  happenLater: () => undefined,
};

const queueOf = (put: (message: SimulatedMessage) => void): ReachableQueue => ({
  put,
  receive: () => [],
  delete: () => undefined,
  setVisibility: () => undefined,
  visible: 0,
  inFlight: 0,
});

/** Creates a stage. Users opt out with STOP and in with START. */
export const createIdentityStage = (
  clock: VirtualClock,
  createMutation: CreateIdentityMutation = () => ({}),
): IdentityStage => {
  const table = createTableState();
  const mutation = createMutation(table);
  const chatService = createSimulatedChatService({
    clock,
    accessToken: TOKEN,
    approvedTemplates: ['parcel_update'],
    newId: () => `sent-${chatService.effects.length + 1}`,
  });
  const called = {
    post({ path, token, body }: Parameters<CalledChatService['post']>[0]) {
      // It knows no windows, so that only Parley keeps them.
      chatService.userWrites(String(parseObject(JSON.stringify(body))?.platformContactId));
      return chatService.post(path, token, body);
    },
    lose: () => undefined,
  };
  const dead: SimulatedMessage[] = [];
  const erasures: SimulatedMessage[] = [];
  const [drop, keep] = [queueOf(() => undefined), queueOf((message) => void dead.push(message))];
  const common = { ...PROCESS, clock, turns: AT_ONCE, table };
  const invocation = { getRemainingTimeInMillis: () => 10 * MINUTE_MS };

  const receive = createReceiveProcess({
    ...common,
    aheadMs: 0,
    queue: { ...UNUSED, put: keep.put, putDeadLetter: keep.put },
    windowPer: 'user',
    keywords: { optOut: ['STOP'], optIn: ['START'], buttons: false },
    ...(mutation.receive && { mutation: mutation.receive }),
  });
  const send = createSendProcess({
    ...common,
    queue: { ...UNUSED, putDeadLetter: keep.put },
    schedules: UNUSED,
    chatService: called,
    accessToken: TOKEN,
    account: ACCOUNT,
    rules: sendRules(),
    random: () => 0,
    answerMs: () => 0,
    ...(mutation.send && { mutation: mutation.send }),
  });
  const manage = createManageProcess({
    ...common,
    queues: {
      send: drop,
      sendDeadLetters: drop,
      inbound: drop,
      inboundDeadLetters: drop,
      erasures: queueOf((message) => void erasures.push(message)),
      erasureDeadLetters: drop,
      scheduleDeadLetters: drop,
      publishFailures: drop,
    },
    schedules: UNUSED,
    chatService: called,
    accessToken: { read: async () => TOKEN, refresh: async () => TOKEN },
    account: ACCOUNT,
    ...(mutation.manage && { mutation: mutation.manage }),
  });

  return {
    table,
    effects: chatService.effects,
    async deliver(event) {
      const before = dead.length;
      await receive.post({ headers: {}, body: JSON.stringify(event) });
      return dead.length === before;
    },
    async send(request) {
      const attributes = { MessageGroupId: String(request.platformContactId), SentTimestamp: String(clock.ms) };
      await send.handle([sqsRecord(JSON.stringify(request), attributes)], invocation);
    },
    call: (request) => manage.call(request),
    async erase() {
      for (const { body } of erasures.splice(0)) {
        for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
          clock.moveTo(clock.ms + PASS_MS);
          const attributes = { ApproximateReceiveCount: String(pass), SentTimestamp: String(clock.ms) };
          const { batchItemFailures } = await manage.handle([sqsRecord(body, attributes)], invocation);
          if (batchItemFailures.length === 0) break;
        }
      }
    },
  };
};
