import { describe, expect, it } from 'vitest';
import {
  describeMessage,
  messageRecord,
  type StoredMessage,
  withStatuses,
} from '../../../../lambdas/domain/message.ts';
import * as z from '../../../../lambdas/domain/schema.ts';
import { parseMessage } from '../../../../lambdas/table/message-item.ts';
import { USER, wireMessage } from '../../../support/builders.ts';

const statuses = { sentAt: '2026-11-20T11:00:01.000Z', readAt: '2026-11-20T11:00:09.000Z' };
const createdAt = '2026-11-20T11:00:00.000Z';
const echoAt = '2026-11-20T11:00:02.000Z';

const inbound = (wire: Record<string, unknown> = {}): StoredMessage => ({
  direction: 'inbound',
  createdAt,
  body: JSON.stringify(wireMessage(wire)),
});

const outbound = (call: StoredMessage['call']): StoredMessage => ({
  direction: 'outbound',
  createdAt,
  requestId: 'request-1',
  call,
});

const freeForm = {
  endpoint: 'message/v3',
  body: { chatPlatform: 'chat', platformContactId: USER, messageText: 'On its way.', clientPayload: 'request-1' },
};
const template = {
  endpoint: 'intent/v2',
  body: { platformContactId: USER, ruleNameOrId: 'parcel_update', params: { name: 'Ana' } },
};

const echo: StoredMessage = {
  direction: 'echo',
  createdAt: echoAt,
  body: JSON.stringify(wireMessage({ FROM: 'me', TO: USER, MESSAGE: 'It is back.' })),
};

/** Returns the message as JSON shows it, without absent fields, after checking it against the schema. */
const describeItem = (item: StoredMessage) => {
  const described = describeMessage('message-1', parseMessage(item));
  expect(z.parse(messageRecord, described)).toEqual(described);
  return JSON.parse(JSON.stringify(described));
};

describe('describeMessage', () => {
  it("shows a user's message with the text and media of its event", () => {
    const item = inbound({ IMAGES_URLS: ['https://media.example/1.jpg'], AUDIOS_URLS: [] });

    expect(describeItem({ ...item, ...statuses })).toEqual({
      id: 'message-1',
      direction: 'inbound',
      createdAt,
      text: 'Where is my parcel?',
      media: { images: ['https://media.example/1.jpg'] },
      ...statuses,
    });
  });

  it("shows a user's message without text and media", () => {
    expect(describeItem(inbound({ MESSAGE: undefined }))).toEqual({ id: 'message-1', direction: 'inbound', createdAt });
  });

  it('shows a free-form send with its request, endpoint, and text', () => {
    expect(describeItem({ ...outbound(freeForm), ...statuses })).toEqual({
      id: 'message-1',
      direction: 'outbound',
      createdAt,
      requestId: 'request-1',
      endpoint: 'message/v3',
      text: 'On its way.',
      ...statuses,
    });
  });

  it('shows the media of a free-form send by kind', () => {
    const call = {
      endpoint: 'message/v3',
      body: { imageURL: 'https://a.example/1.jpg', audioURL: 'https://a.example/2.ogg', fileURL: null },
    };

    expect(describeItem(outbound(call))).toMatchObject({
      media: { images: ['https://a.example/1.jpg'], audios: ['https://a.example/2.ogg'] },
    });
    expect(describeItem(outbound(call)).media).not.toHaveProperty('files');
  });

  it('shows a template with its rule and params', () => {
    expect(describeItem(outbound(template))).toEqual({
      id: 'message-1',
      direction: 'outbound',
      createdAt,
      requestId: 'request-1',
      endpoint: 'intent/v2',
      ruleNameOrId: 'parcel_update',
      params: { name: 'Ana' },
    });
  });

  it('shows an echo with its own time, text, and media', () => {
    expect(describeItem(withStatuses(echo, statuses))).toEqual({
      id: 'message-1',
      direction: 'echo',
      createdAt: echoAt,
      sender: 'business',
      text: 'It is back.',
      ...statuses,
    });
  });

  it('shows a message that is known only by its statuses', () => {
    expect(describeItem(statuses)).toEqual({ id: 'message-1', ...statuses });
  });

  it("shows an echo with nothing of its message's item but the statuses", () => {
    expect(describeItem(withStatuses(echo, { ...outbound(freeForm), ...statuses }))).toEqual(
      describeItem(withStatuses(echo, statuses)),
    );
  });

  it('shows only the times of an item whose body is not an event', () => {
    expect(describeItem({ direction: 'inbound', createdAt, body: 'not JSON' })).toEqual({
      id: 'message-1',
      direction: 'inbound',
      createdAt,
    });
  });
});
