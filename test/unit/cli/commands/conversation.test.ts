import { describe, expect, it } from 'vitest';
import { describeMessage } from '../../../../cli/commands/conversation.ts';
import { NOW } from '../../../support/builders.ts';

type Message = Parameters<typeof describeMessage>[0];

const line = (message: Omit<Message, 'id'>): string => describeMessage({ id: 'm-1', createdAt: NOW, ...message });

describe('a message of a conversation', () => {
  it.each<[string, Omit<Message, 'id'>]>([
    ['"Hello"', { text: 'Hello' }],
    ['"The door", https://a.example/1.jpg', { text: 'The door', media: { images: ['https://a.example/1.jpg'] } }],
    [
      'location: Plaza, Calle 1, -34.6, -58.4',
      { location: { name: 'Plaza', address: 'Calle 1', latitude: -34.6, longitude: -58.4 } },
    ],
    ['location: 0, -58.4', { location: { latitude: 0, longitude: -58.4 } }],
    [
      'contacts: Juan P, +54 9 11 5000-0002',
      { contactCards: [{ name: 'Juan P', phones: ['+5491150000003'] }, { phones: ['+54 9 11 5000-0002'] }] },
    ],
    ['tapped: Yes', { text: '{"button":"Yes"}', button: { text: 'Yes' } }],
    ['tapped: Tomorrow (slot-2)', { text: 'Tomorrow', button: { text: 'Tomorrow', payload: 'slot-2' } }],
    ['tapped: slot-2', { button: { payload: 'slot-2' } }],
    ['reaction: 👍 ❤️', { reactions: ['👍', '❤️'] }],
    ['unsupported: Unsupported message', { unsupported: 'Unsupported message' }],
  ])('is one line: %s', (content, message) => {
    expect(line({ direction: 'inbound', ...message })).toBe(`${NOW}  user      ${content}`);
  });

  it('that was edited says so', () => {
    expect(line({ direction: 'inbound', text: 'Hi', editedAt: NOW })).toBe(`${NOW}  user      "Hi" (edited)`);
  });

  it('that is an unknown event is shown by its name', () => {
    expect(line({ direction: 'unknown', eventName: 'conversation-close' })).toBe(
      `${NOW}  service   [conversation-close]`,
    );
  });

  it.each(['bot', 'operator', 'business', 'unknown'] as const)('that is an echo has its sender: %s', (sender) => {
    expect(line({ direction: 'echo', sender, text: 'Hi', readAt: NOW })).toBe(
      `${NOW}  ${sender.padEnd(8)}  "Hi" (read)`,
    );
  });

  const sent = { direction: 'outbound', requestId: 'order-17', text: 'Hi', sentAt: NOW, deliveredAt: NOW } as const;

  it.each([
    [{}, 'delivered'],
    [{ readAt: NOW, answeredAt: NOW }, 'answered'],
    [{ failedAt: NOW }, 'failed'],
    [{ failedAt: NOW, failureCode: '131049' }, 'failed: 131049'],
    [{ failedAt: NOW, failureCode: '131026', failureReason: 'Not reachable' }, 'failed: 131026 Not reachable'],
    [{ failedAt: NOW, failureReason: 'Not reachable' }, 'failed: Not reachable'],
  ])('that Parley sent has its latest status: %j', (statuses, status) => {
    expect(line({ ...sent, ...statuses })).toBe(`${NOW}  business  "Hi" (order-17, ${status})`);
  });
});
