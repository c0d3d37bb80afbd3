import { describe, expect, it } from 'vitest';
import { readEvent } from '../../../../sandbox/console/page/state/event-fields.ts';

const USER = '+5491155550000';

describe('an event in the console', () => {
  it.each([
    ['a message', { _id_: 'm1', FROM: USER }, ['m1'], undefined],
    ['a status', { _id_: 'm1', FROM: USER, STATUS: 'read' }, ['m1'], 'read'],
    [
      'several messages',
      [
        { _id_: 'm1', FROM: USER },
        { _id_: 'm2', FROM: USER },
      ],
      ['m1', 'm2'],
      undefined,
    ],
    ['a camelCase message', { _id_: 'm1', contactId: USER }, ['m1'], undefined],
    ['v1.1 messages', { contactId: USER, messages: [{ _id: 'm1' }, { _id: 'm2' }] }, ['m1', 'm2'], undefined],
    ['a v1.1 status', { contactId: USER, messageId: 'm1', status: 'error' }, ['m1'], 'error'],
  ])('names the messages, the status, and the user: %s', (_, event, messageIds, status) => {
    expect(readEvent(event)).toEqual({ messageIds, status, contact: USER });
  });

  it.each([null, 'text', 7, [], {}])('is about nothing if it is %j', (event) => {
    expect(readEvent(event)).toEqual({ messageIds: [], status: undefined, contact: undefined });
  });
});
