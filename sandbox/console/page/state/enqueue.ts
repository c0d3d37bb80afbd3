import { type ApiResult, callApi, inspectorPath } from './api.ts';
import { messageGroup } from './message-group.ts';

/** The content of a request, in the chat service's field names. */
export interface RequestContent {
  readonly messageText?: string;
  readonly imageURL?: string;
  readonly audioURL?: string;
  readonly fileURL?: string;
  readonly ruleNameOrId?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly reason?: string;
  readonly automated?: boolean;
  readonly unless?: readonly string[];
  readonly since?: string;
  readonly notAfter?: string;
}

/** The queue of single requests, or that of bulk requests. */
export type SendQueue = 'send' | 'bulk';

export const newRequestId = (): string => `console-${crypto.randomUUID().slice(0, 8)}`;

/** Puts a request on the send queue, as an internal system does. Returns its ID. */
export const enqueueRequest = async (
  contact: string,
  content: RequestContent,
  requestId = newRequestId(),
  queue: SendQueue = 'send',
): Promise<ApiResult<string>> => {
  const result = await callApi('POST', inspectorPath('requests'), {
    body: { requestId, platformContactId: contact, ...content },
    groupId: await messageGroup(contact),
    deduplicationId: requestId,
    queue,
  });
  return result.ok ? { ok: true, value: requestId } : result;
};
