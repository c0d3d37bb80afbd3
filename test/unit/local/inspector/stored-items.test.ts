import { describe, expect, it } from 'vitest';
import { itemText, readStored } from '../../../../local/inspector/stored-items.ts';

const SEND = { pk: 'SEND#a#1', sk: 'SEND', state: 'accepted', body: '{}' };

describe('an item that was written', () => {
  it.each([
    ['a send', SEND, { key: 'SEND#a#1 SEND', id: 'a#1', isAccount: false, send: { requestId: 'a#1' } }],
    ['a damaged send', { ...SEND, state: 'unknown' }, { id: 'a#1', send: undefined }],
    ['an account', { pk: 'ACCOUNT#chat#+54', sk: 'ACCOUNT' }, { isAccount: true, contactKey: undefined }],
    ['a customer', { pk: 'CUSTOMER#chat#K#3', sk: 'CUSTOMER#*' }, { customerId: 'K#3', contactKey: undefined }],
    [
      'a consent',
      { pk: 'CONTACT#chat#*#5411', sk: 'CONSENT' },
      { contactKey: '5411', customerId: undefined, send: undefined },
    ],
    [
      'a message that was read, although a failure is reported later',
      { pk: 'MESSAGE#m-1', sk: 'MESSAGE', deliveredAt: '1', readAt: '2', failedAt: '3' },
      { id: 'm-1', status: 'read' },
    ],
    ['a message of a user', { pk: 'MESSAGE#m-2', sk: 'MESSAGE' }, { status: undefined }],
  ])('is read: %s', (_, item, expected) => expect(readStored(item)).toMatchObject(expected));
});

describe('the text of an item', () => {
  it('has the key first, then the attributes, sorted like those of maps and the members of sets', () => {
    const item = {
      state: 'x',
      ids: new Set(['b', 'a']),
      call: { z: [{ y: 1, x: 2 }], a: 2 },
      sk: 'SEND',
      pk: 'SEND#1',
    };

    expect(itemText(item)).toBe(
      '{"pk":"SEND#1","sk":"SEND","call":{"a":2,"z":[{"x":2,"y":1}]},"ids":["a","b"],"state":"x"}',
    );
  });

  it('contains requests and events as unchanged JSON, and other strings as strings', () => {
    const body = '{"b":12345678901234567890,"1":1.0,"b":"\\u00e9"}';

    expect(itemText({ pk: '1', sk: '2', body, statusBodies: new Set([body]) })).toBe(
      `{"pk":"1","sk":"2","body":${body},"statusBodies":[${body}]}`,
    );
    expect(itemText({ pk: '1', sk: '2', body: '', why: '{}' })).toBe('{"pk":"1","sk":"2","body":"","why":"{}"}');
  });
});
