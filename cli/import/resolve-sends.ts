import { sendListResponse } from '../../lambdas/manage/api/send-lists.ts';
import { sendResponse } from '../../lambdas/manage/api/sends.ts';
import type { ManagementClient } from '../operations/management-client.ts';
import { resourcePath } from '../operations/resource-path.ts';

/** An uncertain send, and the message that it probably is. */
export interface LikelySend {
  readonly requestId: string;
  readonly messageId: string;
  readonly createdAt: string;
}

/** A page of the management API. Each send takes a call. */
export const MAX_RESOLVED_SENDS = 500;

/**
 * Finds the uncertain sends whose message the history has brought. Leaves out a message that two sends could be: nobody can
 * tell which of them it is. Returns undefined if there are too many uncertain sends to compare all of them.
 */
export const findLikelySends = async (call: ManagementClient): Promise<readonly LikelySend[] | undefined> => {
  const query = new URLSearchParams({ state: 'uncertain', limit: String(MAX_RESOLVED_SENDS) });
  const { sends, cursor } = sendListResponse.parse(await call('GET', `/v1/sends?${query}`));
  if (cursor !== undefined) return undefined;
  const found: LikelySend[] = [];
  for (const { requestId } of sends) {
    const { likelyMessage } = sendResponse.parse(await call('GET', resourcePath('sends', 'requestId', requestId)));
    if (likelyMessage === undefined) continue;
    found.push({ requestId, messageId: likelyMessage.id, createdAt: likelyMessage.createdAt });
  }
  return found.filter(({ messageId }) => found.filter((other) => other.messageId === messageId).length === 1);
};

/** Resolves sends as accepted. The audit trail names the operator. */
export const resolveSends = async (call: ManagementClient, sends: readonly LikelySend[]): Promise<void> => {
  for (const { requestId, messageId } of sends) {
    const note = "The imported history has one message that matches the send's contact, text, and time.";
    await call('POST', '/v1/resolutions', { requestId, outcome: 'accepted', messageId, note });
  }
};
