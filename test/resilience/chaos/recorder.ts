import { z } from 'zod';
import { parseJson } from '../../../lambdas/domain/schema.ts';
import type { PutEntry } from '../../../local/emulators/event-buses.ts';
import type { ProxiedCall } from './fault-proxy.ts';
import type {
  ChatCall,
  Disturbance,
  OpenedWindow,
  ProducedConsent,
  ProducedErasure,
  ProducedEvent,
  ProducedRequest,
  PublishedEvent,
  ReportedStatus,
  SendWrite,
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
  readonly sendWrites: SendWrite[];
  readonly kills: Disturbance[];
  readonly tableOutages: { from: string; to: string }[];
  readonly windows: OpenedWindow[];
  readonly reports: ReportedStatus[];
  readonly failedCalls: string[];
  readonly lastWrites: Map<string, string>;
  /** The number of empty reads of the stream since its last record. */
  emptyReads: number;
  recordCall(part: PartName, call: ProxiedCall): void;
  recordEntry(entry: PutEntry): void;
  /** @param event the event of the invocation, as JSON */
  recordKill(functionName: KilledFunction, event: string): void;
}

const SEND_PATH = /^\/api\/v1\.0\/(message\/v3|intent\/v2)$/;
const REQUEST_ID = /chaos-\d+-send-\d+/;
/** The functions' timeout for a call to the table. */
const TABLE_TIMEOUT_MS = 2_000;

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
    kills: [],
    sendWrites: [],
    tableOutages: [],
    windows: [],
    reports: [],
    failedCalls: [],
    lastWrites: new Map(),
    emptyReads: 0,
    recordCall(part, call) {
      if (part === 'chatService') {
        recordChatCall(recorder, call, now());
        if (call.answeredStatus !== 200) {
          recorder.failedCalls.push(new Date(now().getTime() - (call.endedMs - call.startedMs)).toISOString());
        }
      }
      if (part === 'dynamodb') recordWrite(recorder, call, now().toISOString());
      if (part === 'webhook') recordReport(recorder, call);
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
    recordKill(functionName, event) {
      const requestIds = [...new Set(Array.from(event.matchAll(new RegExp(REQUEST_ID, 'g')), ([id]) => id))];
      recorder.kills.push({ at: now().toISOString(), functionName, requestIds });
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

const text = z.object({ S: z.string() });

/** A write in DynamoDB's API. Only updates have an expression, and only updates add data. */
const update = z.object({
  Key: z.object({ pk: text, sk: text }),
  UpdateExpression: z.string(),
  ExpressionAttributeValues: z.record(z.string(), z.unknown()).optional(),
});

const recordWrite = (recorder: Recorder, call: ProxiedCall, at: string): void => {
  const { data } = update.safeParse(parseJson(call.body));
  if (data === undefined) return;
  const { Key, ExpressionAttributeValues: values = {} } = data;
  const [pk, sk] = [Key.pk.S, Key.sk.S];
  const stringOf = (name: string) => text.safeParse(values[`:${name}`]).data?.S;
  const isApplied = call.answer?.status === 200;
  if (isApplied) recorder.lastWrites.set(`${pk} ${sk}`, at);
  const lastInboundAt = stringOf('lastInboundAt');
  if (sk === 'CONTACT' && isApplied && lastInboundAt !== undefined) {
    recorder.windows.push({ key: pk.slice(pk.lastIndexOf('#') + 1), lastInboundAt, at });
  }
  if (sk !== 'SEND') return;
  const isLate = call.endedMs - call.startedMs > 0.9 * TABLE_TIMEOUT_MS;
  const isLost = call.fault !== undefined || call.answeredStatus === undefined || isLate;
  recorder.sendWrites.push({
    requestId: pk.slice('SEND#'.length),
    claimedAt: stringOf('claimedAt'),
    at,
    isApplied,
    isLost,
  });
};

const pushed = z.object({ message: z.object({ data: z.base64() }) });
const reportedStatus = z.object({ _id_: z.string(), STATUS: z.string(), CREATION_TIME: z.string() });

const recordReport = (recorder: Recorder, call: ProxiedCall): void => {
  const { data } = pushed.safeParse(parseJson(call.body));
  const event = data && reportedStatus.safeParse(parseJson(Buffer.from(data.message.data, 'base64').toString())).data;
  if (event) recorder.reports.push({ id: event._id_, status: event.STATUS.toLowerCase(), at: event.CREATION_TIME });
};

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
