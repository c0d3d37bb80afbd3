import type { Consent } from '../../../lambdas/domain/consent.ts';
import { consentRegister } from '../../../lambdas/table/consent-item.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import { requestIdIn } from '../world/journal.ts';
import type { ManagementRequest } from '../world/manage-process.ts';
import { createSimulatedTable } from '../world/table.ts';
import type { Scene } from './scene.ts';

/** An answered API call: the request and the response. */
export interface AnsweredCall {
  readonly name: string;
  readonly request: ManagementRequest;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The table, for what happens without a turn. */
export const tableOf = ({ table }: Pick<Scene, 'table'>) =>
  createSimulatedTable(table, async (_, perform) => perform());

export const answeredCalls = ({ answers, options }: Scene): readonly AnsweredCall[] =>
  (options.callers ?? []).flatMap(({ name, request }) => {
    const answer = answers.get(name);
    return answer === undefined ? [] : [{ name, request, status: answer.status, body: recordOf(answer.body) }];
  });

export const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

export const auditEntries = ({ table }: Scene): readonly Item[] =>
  [...table.items.values()].filter(({ pk }) => String(pk).startsWith('AUDIT#'));

/** The messages of a request that reached users. */
export const effectsOf = ({ chatService }: Scene, requestId: string) =>
  chatService.effects.filter(({ body }) => requestIdIn(body) === requestId);

/** A status of the scene, in the names of the contract's own format. */
export interface PostedStatus {
  readonly id: string;
  readonly literal: string;
  /** The request whose message it speaks of, if it or the chat service says so. */
  readonly requestId: string | undefined;
  /** Whether it has the reference of the send, or the id of the send's job, which the function has recorded. */
  readonly hasReference: boolean;
}

/** The acknowledged statuses of a scene. */
export const acknowledgedStatuses = ({ options, sender, chatService, item }: Scene): readonly PostedStatus[] =>
  (options.posts ?? []).flatMap(({ event }, place) => {
    const { CLIENT_PAYLOAD, STATUS, _id_, status = STATUS, messageId = _id_, intentTxId } = recordOf(event);
    if (!sender.acknowledged.has(place) || typeof status !== 'string') return [];
    const effect = chatService.effects.find(({ id }) => id === messageId);
    const requestId = typeof CLIENT_PAYLOAD === 'string' ? CLIENT_PAYLOAD : effect && requestIdIn(effect.body);
    const isLinked = item(`TRANSACTION#${String(intentTxId)}`)?.requestId !== undefined;
    const hasReference = CLIENT_PAYLOAD !== undefined || isLinked;
    return [{ id: String(messageId), literal: status.toLowerCase(), requestId, hasReference }];
  });

/** The requests that the scene's queue, callers, and statuses name. */
export const requestIdsOf = ({ options }: Pick<Scene, 'options'>): readonly string[] => {
  const { queued = [], malformed = [], callers = [], posts = [] } = options;
  const named = [
    ...malformed,
    ...queued.map(({ requestId }) => requestId),
    ...callers.map(({ request: { route, id, body } }) =>
      /^(enqueueSend|cancelSend)ById$/.test(route) ? id : recordOf(body).requestId,
    ),
    ...posts.map(({ event }) => recordOf(event).CLIENT_PAYLOAD),
  ];
  return [...new Set(named.filter((id) => typeof id === 'string'))];
};

export const isDeadLettered = ({ queues }: Scene, requestId: string): boolean =>
  queues.sendDeadLetters.messages().some(({ body, reason }) => reason !== undefined && body.includes(requestId));

/** Where a text is stored: in items, even in binary parts of them, in queues, and with the schedules. */
export const placesOf = ({ table, queues, schedules }: Scene, text: string): readonly string[] => [
  ...[...table.items].flatMap(([name, item]) => (containsText(item, text) ? [name] : [])),
  ...Object.entries(queues).flatMap(([name, queue]) =>
    queue.messages().some(({ body }: { readonly body: string }) => body.includes(text)) ? [name] : [],
  ),
  ...(schedules.key().includes(text) ? ['schedules'] : []),
];

export const containsText = (value: unknown, text: string): boolean =>
  containsString(value, (one) => one.includes(text));

/** Whether a text that passes the test is stored somewhere in a value, such as an item. */
export const containsString = (value: unknown, test: (text: string) => boolean): boolean => {
  if (typeof value === 'string') return test(value);
  if (value instanceof Uint8Array) return test(Buffer.from(value).toString('utf8'));
  if (typeof value !== 'object' || value === null) return false;
  const members = value instanceof Set ? [...value] : Object.values(value);
  return members.some((member) => containsString(member, test));
};

/** The attribute of a contact's consents that has the time of this kind and origin. */
export const registerOf = (consent: Pick<Consent, 'kind' | 'origin'>) => consentRegister(consent);
