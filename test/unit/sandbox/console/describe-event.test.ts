import { describe, expect, it } from 'vitest';
import { describeEvent } from '../../../../sandbox/console/page/activity/describe-event.ts';
import type { Delivery, FeedEntry } from '../../../../sandbox/console/page/state/api.ts';
import { AT, apiCall, inbound, outbound, USER } from './page-data.ts';

const EVENT = { _id_: 'message-1', FROM: USER, STATUS: 'read' };

const call = (status: number, messageId: string | null): FeedEntry => ({
  id: 1,
  at: AT,
  type: 'call',
  call: apiCall({ status, messageId }),
});
const attempt = (status: Delivery['status'], event: unknown = EVENT): FeedEntry => ({
  id: 2,
  at: AT,
  type: 'webhook-attempt',
  delivery: { messageId: 'delivery-1', event, attempt: 2, status, at: AT },
});

describe('an entry of the event log', () => {
  it("tells an operator's message from one that the API accepted", () => {
    const accepted = (endpoint: 'message/v3' | 'operator-console'): FeedEntry => ({
      id: 3,
      at: AT,
      type: 'message-accepted',
      contact: USER,
      message: outbound({ endpoint }),
    });

    expect(describeEvent(accepted('message/v3')).event).toBe('Message accepted');
    expect(describeEvent(accepted('operator-console')).event).toBe('Operator message');
  });

  it('says that a user edited a message', () => {
    const edited: FeedEntry = {
      id: 4,
      at: AT,
      type: 'message-edited',
      contact: USER,
      message: inbound({ text: 'No' }),
    };

    expect(describeEvent(edited)).toEqual({ event: 'Message edited', detail: 'No', messageId: 'm1', contact: USER });
  });

  it('about an API call has its message and its user', () => {
    expect(describeEvent(call(200, 'message-1'))).toEqual({
      event: 'API call: 200',
      detail: 'POST message/v3',
      messageId: 'message-1',
      contact: USER,
      isError: false,
    });
  });

  it('about a refused API call has its user, because there is no message', () => {
    expect(describeEvent(call(403, null))).toMatchObject({
      event: 'API call: 403',
      messageId: undefined,
      contact: USER,
      isError: true,
    });
  });

  it('about a webhook attempt has the message and the user of the event', () => {
    expect(describeEvent(attempt(200))).toEqual({
      event: 'Webhook: 200',
      detail: 'read, attempt 2',
      messageId: 'message-1',
      contact: USER,
      isError: false,
    });
  });

  it.each([[503], [null]])('about a webhook attempt with the status %s is an error', (status) => {
    expect(describeEvent(attempt(status)).isError).toBe(true);
  });

  it('about an event that cannot be read has neither message nor user', () => {
    expect(describeEvent(attempt(200, { hello: 'world' }))).toMatchObject({ messageId: undefined, contact: undefined });
  });
});
