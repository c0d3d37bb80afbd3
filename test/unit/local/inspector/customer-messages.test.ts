import { expect, it } from 'vitest';
import { type ManagementClient, ManagementError } from '../../../../cli/operations/management-client.ts';
import { createManagementOperations } from '../../../../local/inspector/management-operations.ts';

const AT = '2026-11-21T10:00:00.000Z';

const messagesOf = (answer: object | ManagementError) => {
  const calls: string[] = [];
  const api: ManagementClient = async (_method, path) => {
    calls.push(path);
    if (answer instanceof ManagementError) throw answer;
    return answer;
  };
  return { calls, messages: createManagementOperations(api).customerMessages('K&3') };
};

it('summarizes the messages of a customer at all addresses, as the API lists them', async () => {
  const { messages, calls } = messagesOf({
    messages: [
      { id: 'm-4', direction: 'outbound', createdAt: AT, ruleNameOrId: 'parcel_update' },
      { id: 'm-3', direction: 'echo', createdAt: AT, text: 'This is Ana.' },
      { id: 'm-2', direction: 'inbound', createdAt: AT, media: { images: ['https://media.example/1.png'], files: [] } },
      { id: 'm-1', direction: 'inbound', createdAt: AT, editedAt: AT, text: 'Hi' },
      { id: 'm-0' },
    ],
  });

  expect(await messages).toEqual([
    { id: 'm-4', isFromUser: false, at: AT, summary: 'parcel_update', isEdited: false },
    { id: 'm-3', isFromUser: false, at: AT, summary: 'This is Ana.', isEdited: false },
    { id: 'm-2', isFromUser: true, at: AT, summary: 'images', isEdited: false },
    { id: 'm-1', isFromUser: true, at: AT, summary: 'Hi', isEdited: true },
    { id: 'm-0', isFromUser: false, summary: 'No text', isEdited: false },
  ]);
  expect(calls).toEqual(['/v1/conversations?customerId=K%263&limit=20']);
});

it.each([
  [404, 'CUSTOMER_NOT_FOUND'],
  [409, 'CUSTOMER_SHARED'],
])('shows none for an ID that the API answers with %i %s', async (status, code) => {
  expect(await messagesOf(new ManagementError(status, code, 'No.')).messages).toEqual([]);
});

it('passes on any other failure', async () => {
  await expect(messagesOf(new ManagementError(500, 'INTERNAL', 'Failed.')).messages).rejects.toThrow('Failed.');
});
