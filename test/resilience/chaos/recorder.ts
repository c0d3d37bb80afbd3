import { z } from 'zod';
import { parseJson } from '../../../lambdas/domain/schema.ts';
import type { PutEntry } from '../../../local/emulators/event-buses.ts';
import type { ProxiedCall } from './fault-proxy.ts';
import type {
  ChatCall,
  Disturbance,
  ProducedConsent,
  ProducedErasure,
  ProducedEvent,
  ProducedRequest,
  PublishedEvent,
  WrittenClaim,
} from './ledgers.ts';
import type { KilledFunction, PartName } from './parts.ts';

/** Records what happens during a run. */
export interface Recorder {
  readonly events: ProducedEvent[];
  readonly requests: ProducedRequest[];
  readonly consents: ProducedConsent[];
  readonly erasures: ProducedErasure[];
  readonly cancelled: string[];
  readonly calls: ChatCall[];
  readonly published: PublishedEvent[];
  readonly claims: WrittenClaim[];
  readonly kills: Disturbance[];
  readonly disturbedWrites: Set<string>;
  /** The number of empty reads of the stream since its last record. */
  emptyReads: number;
  recordCall(part: PartName, call: ProxiedCall): void;
  recordEntry(entry: PutEntry): void;
  recordKill(functionName: KilledFunction): void;
}

const SEND_PATH = /^\/api\/v1\.0\/(message\/v3|intent\/v2)$/;
/** The value that a claim writes, in DynamoDB's format. */
const CLAIMED_AT = /":claimedAt":\{"S":"([^"]+)"\}/;
const SEND_KEY = /SEND#([\x21\x23-\x7e]+)/g;
const REQUEST_ID = /chaos-\d+-send-\d+/;

const sendBody = z.object({
  platformContactId: z.string(),
  messageText: z.string().optional(),
  params: z.object({ n: z.string() }).optional(),
});
const sendAnswer = z.object({ id: z.string() });

/** Returns the request of a call or an accepted message. Its id is in the text or the parameter. */
export const requestIdOf = (body: unknown): string | undefined => {
  const { data } = sendBody.safeParse(body);
  return REQUEST_ID.exec(data?.params?.n ?? data?.messageText ?? '')?.[0];
};

/** @param now converts a time of the machine to the run's time */
export const createRecorder = (now: () => Date): Recorder => {
  const recorder: Recorder = {
    events: [],
    requests: [],
    consents: [],
    erasures: [],
    cancelled: [],
    calls: [],
    published: [],
    claims: [],
    kills: [],
    disturbedWrites: new Set(),
    emptyReads: 0,
    recordCall(part, call) {
      if (part === 'chatService') recordChatCall(recorder, call, now());
      if (part === 'dynamodb' && call.fault !== undefined) {
        for (const [, requestId = ''] of call.body.matchAll(SEND_KEY)) recorder.disturbedWrites.add(requestId);
      }
      if (part === 'dynamodb') {
        const at = CLAIMED_AT.exec(call.body)?.[1];
        const requestId = call.body.match(REQUEST_ID)?.[0];
        if (at && requestId) recorder.claims.push({ requestId, at });
      }
      if (part === 'streamMappings' && call.answer?.status === 200 && call.answer.body.includes('"Records"')) {
        recorder.emptyReads = /"Records":\s*\[\s*\]/.test(call.answer.body) ? recorder.emptyReads + 1 : 0;
      }
    },
    recordEntry({ DetailType: name, Detail }) {
      const { id, at, outcome, messageId, requestId, contact, account } = entryDetail.parse(parseJson(Detail));
      // Status events also contain the request ID, and accepted sends the message ID.
      const subject = name.startsWith('Message') ? messageId : (requestId ?? contact?.key ?? account?.channel);
      recorder.published.push({ id, name, subject: subject ?? '', at, outcome });
    },
    recordKill(functionName) {
      recorder.kills.push({ at: now().toISOString(), functionName });
    },
  };
  return recorder;
};

const entryDetail = z.object({
  id: z.string(),
  at: z.string(),
  outcome: z.string().optional(),
  messageId: z.string().optional(),
  requestId: z.string().optional(),
  contact: z.object({ platform: z.string(), channel: z.string(), key: z.string() }).optional(),
  account: z.object({ platform: z.string(), channel: z.string() }).optional(),
});

const recordChatCall = (recorder: Recorder, call: ProxiedCall, now: Date): void => {
  const endpoint = SEND_PATH.exec(call.path)?.[1];
  const body = parseJson(call.body);
  const requestId = requestIdOf(body);
  const contact = sendBody.safeParse(body).data?.platformContactId;
  if (endpoint === undefined || requestId === undefined || contact === undefined) return;
  const durationMs = call.endedMs - call.startedMs;
  recorder.calls.push({
    requestId,
    contact,
    endpoint,
    at: new Date(now.getTime() - durationMs).toISOString(),
    durationMs,
    fault: call.fault,
    messageId: sendAnswer.safeParse(parseJson(call.answer?.body ?? '')).data?.id,
    answer: call.answer && `${call.answer.status} ${call.answer.body.slice(0, 200)}`,
    answeredStatus: call.answeredStatus,
  });
};
