import { describe, expect, it } from 'vitest';
import type { ContactRef, WindowPer } from '../../../../lambdas/domain/contact.ts';
import { createSendQueueMessage } from '../../../../lambdas/send/send-queue-message.ts';
import { sendRequest } from '../../../support/builders.ts';
import { silentLog, silentMetrics } from '../../../support/silent.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';

const contactOf = async (
  windowPer: WindowPer,
  changes: Record<string, string> = {},
): Promise<ContactRef | undefined> => {
  let contact: ContactRef | undefined;
  const handle = createSendQueueMessage({
    sendMessage: async (send) => {
      contact = send.contact;
      return { kind: 'done' };
    },
    deadLetters: { put: async () => undefined },
    chatPlatform: 'chat',
    chatChannelNumber: '+5491100000000',
    windowPer,
    log: silentLog,
    metrics: silentMetrics,
  });
  await handle(sqsRecord(JSON.stringify(sendRequest(changes))), () => true);
  return contact;
};

describe('the window that a request is judged by', () => {
  it('is the user’s, whatever number it names', async () => {
    const contact = { platform: 'chat', channel: '*', key: '541155550000' };
    expect(await contactOf('user')).toEqual(contact);
    expect(await contactOf('user', { chatChannelNumber: '+5491100000001' })).toEqual(contact);
  });

  it('is the user’s with the number that it names, else with the stage’s, where windows are kept per number', async () => {
    expect(await contactOf('channel')).toMatchObject({ channel: '541100000000', key: '541155550000' });
    expect(await contactOf('channel', { chatChannelNumber: '+5491100000001' })).toMatchObject({
      channel: '541100000001',
    });
  });
});
