import { createDynamodbAudit } from '../../../lambdas/adapters/dynamodb/audit.ts';
import { createDynamodbCircuit } from '../../../lambdas/adapters/dynamodb/circuit.ts';
import { createDynamodbContacts } from '../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbErasures } from '../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbKeptDeadLetters } from '../../../lambdas/adapters/dynamodb/kept-dead-letters.ts';
import { createDynamodbMessages } from '../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../../../lambdas/adapters/dynamodb/sends.ts';
import type { AddressedRequest } from '../../../lambdas/domain/addressed-request.ts';
import { contactRef } from '../../../lambdas/domain/contact.ts';
import { ms } from '../../../lambdas/domain/duration.ts';
import type { QueuedErasure } from '../../../lambdas/domain/erasure.ts';
import { addMs } from '../../../lambdas/domain/instant.ts';
import type { SendResult } from '../../../lambdas/domain/send.ts';
import { serializeDueMessage } from '../../../lambdas/domain/send-request.ts';
import { serializeRequest } from '../../../lambdas/domain/serialized-request.ts';
import { createStoreEvents } from '../../../lambdas/receive/store-events.ts';
import * as builders from '../../support/builders.ts';
import {
  ACCOUNT,
  claim,
  NOW,
  PLAIN_RECEIVER,
  queuedSend,
  sendRequest,
  sendResult,
  templateRequest,
  USER,
} from '../../support/builders.ts';
import { bodyIn } from '../world/translate-event.ts';
import { AFTER, BEFORE, OTHER } from './erasing-invariants.ts';
import { type Scene, TOKEN, userRef } from './scene.ts';
import { tableOf } from './scene-view.ts';

export const AN_HOUR_AGO = '2026-11-20T11:00:00.000Z';
export const IN_JANUARY = '2026-01-01T00:00:00.000Z';
/** The ID by which the chat service names the user. */
export const CUSTOMER = 'customer-1';

/**
 * Events without a customer ID. An event with one causes several more calls, and two such events have ten times as many
 * schedules, so only the scenarios of the use case `customer` have them.
 */
export const wireMessage = (changes: Readonly<Record<string, unknown>> = {}) =>
  builders.wireMessage({ CUSTOMER_ID: undefined, ...changes });
export const wireStatus = (changes: Readonly<Record<string, unknown>> = {}) =>
  builders.wireStatus({ CUSTOMER_ID: undefined, ...changes });

export const SOMEBODY_ELSE = '+5491155551111';
const EIGHT_DAYS_MS = 8 * 24 * 60 * 60 * 1000;

export const request = sendRequest({ messageText: 'request-1: Your parcel is on its way.' });
export const template = templateRequest({ params: { name: 'request-1' } });

/** The repositories, without turns and faults. */
export const repositoriesOf = (scene: Scene, table = tableOf(scene)) => {
  return {
    contacts: createDynamodbContacts(table, { readsHandovers: false }),
    messages: createDynamodbMessages(table, { gapClock: undefined }),
    sends: createDynamodbSends(table),
    erasures: createDynamodbErasures(table),
    deadLetters: createDynamodbKeptDeadLetters(table),
    circuit: createDynamodbCircuit(table, ACCOUNT),
    audit: createDynamodbAudit(table, { newId: () => 'prepared' }),
  };
};

export const storeEvent = async (
  scene: Scene,
  event: Readonly<Record<string, unknown>>,
  table = tableOf(scene),
): Promise<void> => {
  const store = createStoreEvents({
    ...PLAIN_RECEIVER,
    repositories: () => repositoriesOf(scene, table),
    clock: scene.clock,
    budgetMs: ms(10_000),
    chatPlatform: ACCOUNT.platform,
    windowPer: 'user',
    chatChannelNumber: '+5491100000000',
  });
  await store({ rawBody: Buffer.from(bodyIn(event, scene.options.format)), receivedAt: scene.clock.now() });
};

/** The user wrote an hour ago, and opted in. */
export const openWindow = async (scene: Scene, changes: Readonly<Record<string, unknown>> = {}): Promise<void> => {
  await storeEvent(scene, wireMessage({ _id_: 'message-0', CREATION_TIME: AN_HOUR_AGO, ...changes }));
  scene.chatService.userWrites(USER, Date.parse(AN_HOUR_AGO));
  await optedIn(scene);
};

export const optedIn = (scene: Scene): Promise<void> =>
  repositoriesOf(scene).contacts.recordConsent(userRef, {
    kind: 'opt-in',
    origin: 'user',
    at: IN_JANUARY,
    source: 'form',
  });

/** A request whose `sendAt` is in two hours. */
export const laterRequest = { ...request, sendAt: '2026-11-20T14:00:00.000Z' };

/** The message by which the schedule of a request makes it due. */
export const putDue = ({ queues }: Scene, { requestId, platformContactId: groupId }: AddressedRequest = laterRequest) =>
  queues.send.put({ body: serializeDueMessage(requestId), groupId, deduplicationId: `due-${requestId}` });

/** The request is scheduled. If it is due, its schedule has just put its message on the queue, unless that is lost. */
export const scheduled = async (
  scene: Scene,
  { isDue, isQueued = isDue, of = laterRequest }: { isDue: boolean; isQueued?: boolean; of?: AddressedRequest },
) => {
  const { sendAt = '' } = of;
  await repositoriesOf(scene).sends.schedule({ ...queuedSend(of) }, { at: AN_HOUR_AGO, sendAt });
  const { requestId, platformContactId: groupId } = of;
  if (isDue) scene.clock.moveTo(Date.parse(sendAt));
  else scene.schedules.create({ requestId, groupId, at: sendAt });
  if (isQueued) putDue(scene, of);
};

/** The request is recorded before it is queued, as the management API does. */
export const registered = async (scene: Scene): Promise<void> => {
  await repositoriesOf(scene).sends.register(queuedSend(request), AN_HOUR_AGO);
};

/** The request waits, because an earlier call was not made. */
export const waiting = async (scene: Scene): Promise<void> => {
  const { sends } = repositoriesOf(scene);
  const claimed = claim({ claimedAt: AN_HOUR_AGO });
  await sends.claim(queuedSend(request), claimed, { resend: false });
  await sends.recordResult('request-1', claimed.claimId, sendResult('waiting', AN_HOUR_AGO));
};

/** The outcome of the request is unknown to Parley, unless it is given. In fact, it was sent as `message-1`. */
export const uncertain = async (
  scene: Scene,
  of: AddressedRequest = request,
  result: SendResult = sendResult('uncertain', AN_HOUR_AGO),
): Promise<void> => {
  const { sends } = repositoriesOf(scene);
  const { call } = claim();
  const claimed = claim({ call: { ...call, body: { messageText: of.messageText } }, claimedAt: AN_HOUR_AGO });
  scene.chatService.post('message/v3', TOKEN, { ...claimed.call.body, platformContactId: USER });
  await sends.claim(queuedSend(of), claimed, { resend: false });
  await sends.recordResult(of.requestId, claimed.claimId, result);
};

/** An event of a message whose text contains its time. */
export const saying = (text: string, changes: Readonly<Record<string, unknown>> = {}) =>
  wireMessage({ MESSAGE: text, ...changes });

export const laterEvent = saying(AFTER, { _id_: 'message-2', CREATION_TIME: '2026-11-20T11:59:30.000Z' });

/** A message and a dead letter of another contact. */
export const somebodyElse = async (scene: Scene): Promise<void> => {
  await storeEvent(scene, saying(OTHER, { _id_: 'other-1', FROM: SOMEBODY_ELSE, CUSTOMER_ID: 'customer-2' }));
  scene.facts.add(OTHER);
};

/** The user wrote and opted in. All of this can be erased. */
export const toErase = async (scene: Scene): Promise<void> => {
  await storeEvent(scene, saying(BEFORE, { _id_: 'message-0', CREATION_TIME: AN_HOUR_AGO }));
  scene.chatService.userWrites(USER, Date.parse(AN_HOUR_AGO));
  const consent = { kind: 'opt-in', origin: 'user', at: IN_JANUARY, source: BEFORE } as const;
  await repositoriesOf(scene).contacts.recordConsent(userRef, consent);
};

/** An erasure that was requested a minute ago and is on its queue. */
export const requestErasure = async (scene: Scene): Promise<void> => {
  const { platform } = userRef;
  const erasure: QueuedErasure = {
    erasureId: 'erasure-1',
    requestedAt: addMs(scene.clock.now(), -60_000),
    platform,
    contact: userRef,
    customers: [{ platform, customerId: CUSTOMER }],
    otherCustomers: [],
  };
  await repositoriesOf(scene).erasures.start(erasure.erasureId, erasure.requestedAt);
  scene.queues.erasures.put({ body: JSON.stringify(erasure) });
};

/** A quarantined event, as its queue and the table keep it. */
export const quarantinedBody = (event: Readonly<Record<string, unknown>>): string =>
  serializeRequest(
    { rawBody: Buffer.from(JSON.stringify(event)), receivedAt: AN_HOUR_AGO, envelope: 'pubsub' },
    'UNKNOWN_EVENT',
  ) ?? '';

export const quarantine = (scene: Scene, event: Readonly<Record<string, unknown>>): void =>
  scene.queues.inboundDeadLetters.put({ body: quarantinedBody(event), reason: 'UNKNOWN_EVENT' });

export const keepQuarantined = (scene: Scene, id: string, event: Readonly<Record<string, unknown>>): Promise<void> =>
  repositoriesOf(scene).deadLetters.keep(
    { id, queue: 'inbound', reason: 'UNKNOWN_EVENT', body: quarantinedBody(event), since: IN_JANUARY },
    [contactRef(ACCOUNT.platform, USER)],
    { at: AN_HOUR_AGO, keepId: 'prepared' },
  );

/** A request on the dead-letter queue of the send queue. */
export const deadRequest = (scene: Scene, messageText: string): void =>
  scene.queues.sendDeadLetters.put({
    body: JSON.stringify({ ...request, messageText }),
    groupId: USER,
    deduplicationId: messageText,
    reason: 'REQUEST_ID_REUSED',
  });

/** Longer than dead letters stay in their queues. */
export const eightDaysPass = ({ clock }: Scene): void => clock.moveTo(clock.ms + EIGHT_DAYS_MS);

export { NOW };
