import { contactKey } from '../../../lambdas/domain/contact.ts';
import {
  createSimulatedChatService,
  type Effect,
  type HttpAnswer,
  type SimulatedChatService,
} from '../world/chat-service.ts';
import { endOf, requestIdIn } from '../world/journal.ts';
import type { CalledChatService } from '../world/send-process.ts';
import type { ReportedEvent } from './delivery.ts';
import { REJECTED_TEXT } from './draw-request.ts';
import type { StageCalls } from './stage-calls.ts';
import type { StageContext } from './stage-context.ts';
import { echoEvent, statusEvent } from './wire-events.ts';

/** The chat service, and how processes reach it. */
export interface StageChatService {
  readonly service: SimulatedChatService;
  /**
   * The chat service. It records calls of its sending endpoints in the ledger, and reports the statuses of messages.
   */
  readonly called: CalledChatService;
  /** Switches a user's device on or off. */
  setDevice(contact: string, isOn: boolean): void;
}

export interface StageChatServiceOptions {
  readonly context: StageContext;
  readonly calls: StageCalls;
  readonly accessToken: string;
  /** Returns the last claim of a request by a process. */
  readonly claimOf: (process: string | undefined, requestId: string) => string | undefined;
  readonly report: (event: ReportedEvent) => void;
}

const MAX_DEVICE_MS = 60_000;

export const createStageChatService = (options: StageChatServiceOptions): StageChatService => {
  const { context, calls, accessToken, claimOf, report } = options;
  const { clock, features, record } = context;
  const messageIds = new Map<string, number>();
  const service = createSimulatedChatService({
    clock,
    accessToken,
    approvedTemplates: ['parcel_update'],
    refusedText: REJECTED_TEXT,
    clockAheadMs: features.clockAheadMs,
    closesEarlyMs: features.chatService?.closesEarlyMs,
    answersIntentsWithoutId: features.chatService?.answersIntentsWithoutId,
    answersWithJob: features.chatService?.answersWithJob,
    newId(body) {
      const requestId = requestIdIn(body);
      const count = (messageIds.get(requestId) ?? 0) + 1;
      messageIds.set(requestId, count);
      return `message-of-${requestId}-${count}`;
    },
  });
  /** The chat service as processes reach it: calls of its sending endpoints are in the ledger. */
  const called: CalledChatService = {
    post({ path, token, body, ...response }) {
      const before = service.effects.length;
      const answer = service.post(path, token, body);
      const effect = service.effects[before];
      recordCall({ path, body, ...response }, effect, answer);
      if (effect && features.chatService?.statuses?.reportsSent) reportSent(effect);
      if (effect) reportDelivered(effect);
      if (effect) reportEcho(effect);
      return answer;
    },
    lose: (call) => recordCall(call, undefined, undefined),
  };
  const recordCall = (
    { path: endpoint, body, ...response }: Omit<Parameters<CalledChatService['post']>[0], 'token'>,
    effect: Effect | undefined,
    answer: HttpAnswer | undefined,
  ): void => {
    if (endpoint !== 'message/v3' && endpoint !== 'intent/v2') return;
    const sent = typeof body === 'object' && body !== null ? { ...body } : {};
    const requestId = requestIdIn(body);
    const claimId = claimOf(calls.current, requestId);
    record(
      { kind: 'call', requestId, claimId, endpoint, body: sent, effect, end: endOf(effect, answer), ...response },
      calls.current,
    );
  };
  const reportSent = ({ id, body, transactionId }: Effect): void =>
    report(statusEvent(context, { id, body, transactionId, STATUS: 'sent' }));
  const reportDelivered = ({ id, body, transactionId }: Effect): void => {
    const address = String(body.platformContactId);
    const {
      maxDeviceMs: maxMs = MAX_DEVICE_MS,
      repeatedStatusRate = 0,
      unknownStatusRate = 0,
      failureRate = 0,
    } = features.chatService ?? {};
    const isFailed = !service.isOnPlatform(address) || isDrawn(`failure of ${id}`, failureRate);
    const STATUS = isFailed ? 'failed' : 'delivered';
    context.after(context.delayMs(`how late ${id} reaches the user`, maxMs), `delivered ${id}`, () => {
      const reach = () => {
        report(statusEvent(context, { id, body, transactionId, STATUS }));
        if (isDrawn(`unknown status of ${id}`, unknownStatusRate)) {
          report(statusEvent(context, { id, body, transactionId, STATUS: 'archived by the user' }));
        }
        if (!isDrawn(`repeated status of ${id}`, repeatedStatusRate)) return;
        context.after(context.delayMs(`when ${id} is reported again`, maxMs), `delivered ${id} again`, () => {
          report(statusEvent(context, { id, body, transactionId, STATUS, isRepeated: true }));
        });
      };
      const waiting = offDevices.get(contactKey(address));
      if (waiting) waiting.push(reach);
      else reach();
    });
  };
  /** An echo can be reported before the answer to the call is recorded, or at any time after that. */
  const reportEcho = ({ id, body, transactionId }: Effect): void => {
    const { maxDeviceMs = MAX_DEVICE_MS, echoRate = 0 } = features.chatService ?? {};
    if (!isDrawn(`echo of ${id}`, echoRate)) return;
    const [contact, text] = [String(body.platformContactId), String(body.messageText ?? '')];
    context.after(context.delayMs(`when ${id} is echoed`, maxDeviceMs), `echo ${id}`, () =>
      report(echoEvent(context, { id, contact, text, transactionId })),
    );
  };
  const isDrawn = (what: string, rate: number): boolean => context.draw.fraction(context.draw.identify(what), 0) < rate;
  /** What each device that is off will receive when it is on again. */
  const offDevices = new Map<string, (() => void)[]>();
  const setDevice: StageChatService['setDevice'] = (contact, isOn) => {
    const key = contactKey(contact);
    const waiting = offDevices.get(key) ?? [];
    if (!isOn) offDevices.set(key, waiting);
    else if (offDevices.delete(key)) for (const reach of waiting) reach();
  };
  return { service, called, setDevice };
};
