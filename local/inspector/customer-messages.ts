import type { z } from 'zod';
import { type ManagementClient, ManagementError } from '../../cli/operations/management-client.ts';
import { conversationResponse } from '../../lambdas/manage/api/conversations.ts';
import type { CustomerMessage } from '../../sandbox/base/inspector.ts';

const MAX_MESSAGES = 20;

type Message = z.output<typeof conversationResponse>['messages'][number];

/** Reads a customer's latest messages at all addresses. The API leaves out those of earlier users of an address. */
export const readCustomerMessages = async (
  api: ManagementClient,
  customerId: string,
): Promise<readonly CustomerMessage[]> => {
  const query = new URLSearchParams({ customerId, limit: `${MAX_MESSAGES}` });
  try {
    const { messages } = conversationResponse.parse(await api('GET', `/v1/conversations?${query}`));
    return messages.map(describeMessage);
  } catch (error) {
    if (error instanceof ManagementError && (error.status === 404 || error.status === 409)) return [];
    throw error;
  }
};

const describeMessage = ({ id, direction, createdAt, editedAt, ...content }: Message): CustomerMessage => ({
  id,
  isFromUser: direction === 'inbound',
  at: createdAt,
  summary: summaryOf(content),
  isEdited: editedAt !== undefined,
});

const summaryOf = ({ text, ruleNameOrId, media, eventName }: Omit<Message, 'id'>): string => {
  const kinds = Object.entries(media ?? {}).flatMap(([kind, urls]) =>
    urls === undefined || urls.length === 0 ? [] : kind,
  );
  return text || ruleNameOrId || kinds.join(', ') || eventName || 'No text';
};
