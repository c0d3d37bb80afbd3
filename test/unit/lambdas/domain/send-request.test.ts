import { describe, expect, it } from 'vitest';
import { parseDueMessage, parseSendRequest, serializeDueMessage } from '../../../../lambdas/domain/send-request.ts';
import { sendRequest, templateRequest } from '../../../support/builders.ts';

const parse = (request: unknown) => parseSendRequest(JSON.stringify(request));

describe('parseSendRequest', () => {
  it.each([
    ['a free-form message', sendRequest()],
    ['a template', templateRequest()],
    ['both in one', { ...sendRequest(), ...templateRequest() }],
    [
      'a customer',
      { requestId: 'request-1', customerId: 'customer-1', messageText: 'Hi', platformContactId: undefined },
    ],
    ['media without text', sendRequest({ messageText: undefined, imageURL: 'https://media.example/a.jpg' })],
    [
      'every field',
      {
        ...sendRequest(),
        ...{ notAfter: '2026-11-21T00:00:00-03:00', onUncertain: 'resend', chatPlatform: 'chat' },
        broadcastId: 'x'.repeat(64),
      },
    ],
  ])('accepts %s', (_case, request) => {
    expect(parse(request)).toEqual({ kind: 'request', request: JSON.parse(JSON.stringify(request)) });
  });

  it.each([null, ''])('treats an optional field that is %j as missing', (empty) => {
    const fields = ['audioURL', 'imageURL', 'fileURL', 'reason', 'notAfter', 'sendAt', 'onUncertain', 'chatPlatform'];
    const unset = Object.fromEntries([...fields, 'chatChannelNumber', 'ruleNameOrId', 'params'].map((f) => [f, empty]));
    expect(parse({ ...sendRequest(), ...unset })).toEqual({ kind: 'request', request: sendRequest() });
    expect(parse({ ...sendRequest(), imageURL: 'https://media.example/a.jpg', messageText: empty })).toEqual({
      kind: 'request',
      request: sendRequest({ messageText: undefined, imageURL: 'https://media.example/a.jpg' }),
    });
  });

  it.each(['requestId', 'platformContactId'])('rejects a request whose %s is empty', (name) => {
    expect(parse({ ...sendRequest(), [name]: null })).toMatchObject({ kind: 'malformed' });
    expect(parse({ ...sendRequest(), [name]: '' })).toMatchObject({ kind: 'malformed' });
  });

  it.each([
    ['that is not JSON', '{', 'not JSON. It must be a JSON object'],
    ['that is an array', '[]', 'the request: must be a JSON object'],
    ['without a request id', sendRequest({ requestId: undefined }), 'requestId: is missing'],
    ['with an id that SQS would not accept', sendRequest({ requestId: 'a b' }), 'requestId: must be 1 to 128'],
    ['with an id that is too long', sendRequest({ requestId: 'x'.repeat(129) }), 'requestId: must be 1 to 128'],
    ['with a broadcast id with a space', sendRequest({ broadcastId: 'a b' }), 'broadcastId: must be 1 to 64'],
    ['with a broadcast id that is too long', sendRequest({ broadcastId: 'x'.repeat(65) }), 'broadcastId: must be 1'],
    ['with a broadcast id with a surrogate', sendRequest({ broadcastId: '\ud800' }), 'broadcastId: is not well-formed'],
    ['without a user', sendRequest({ platformContactId: undefined }), 'platformContactId: is required'],
    ['that confirms an opt-out with a text', sendRequest({ confirmsOptOut: true }), 'confirmsOptOut: cannot be true'],
    ['without content', sendRequest({ messageText: undefined }), 'the request: has nothing to send'],
    ['with an empty text', sendRequest({ messageText: '' }), 'the request: has nothing to send'],
    [
      'with an empty user',
      sendRequest({ platformContactId: '' }),
      'platformContactId: is required unless customerId is given',
    ],
    [
      'with an address and a customer',
      sendRequest({ customerId: 'customer-1' }),
      'platformContactId: is required unless customerId is given; give one of them, not both',
    ],
    [
      'with an ID of a customer that is too long for a key',
      { requestId: 'request-1', customerId: '€'.repeat(342), messageText: 'Hi' },
      'customerId: must not be longer than 1024 bytes',
    ],
    ['with a lone surrogate', sendRequest({ messageText: '\ud800' }), 'messageText: is not well-formed'],
    [
      'with a misspelled field',
      { ...sendRequest(), notafter: '2026-11-21T00:00:00Z' },
      'has the unknown field notafter',
    ],
    [
      'with a reason that is not approved',
      { ...templateRequest(), reason: 'advertising' },
      'reason: must be one of account-update',
    ],
    ['with a time without offset', sendRequest({ notAfter: '2026-11-21T00:00:00' }), 'notAfter: must be an ISO 8601'],
    [
      'with a sendAt after its notAfter',
      sendRequest({ sendAt: '2026-11-21T00:00:00Z', notAfter: '2026-11-20T23:00:00-00:30' }),
      'sendAt: must be earlier than notAfter',
    ],
    [
      'that would expire when it is due: its sendAt is its notAfter',
      sendRequest({ sendAt: '2026-11-21T00:00:00Z', notAfter: '2026-11-20T21:00:00-03:00' }),
      'sendAt: must be earlier than notAfter',
    ],
    [
      'with params that are not strings',
      { ...templateRequest(), params: { amount: 5 } },
      'params.amount: must be a string',
    ],
    [
      'with a condition and no time',
      { ...sendRequest(), unless: ['userWroteSince'] },
      'since: is missing, and `unless` requires it; add the ID of',
    ],
    [
      'with a time and no condition',
      { ...sendRequest(), since: 'message-1' },
      'unless: is missing, and `since` requires it; add ["userWroteSince"]',
    ],
    [
      'with an unknown condition',
      { ...sendRequest(), unless: ['userSlept'], since: 'message-1' },
      'unless.0: must be userWroteSince or operatorWroteSince',
    ],
    ['without any condition', { ...sendRequest(), unless: [], since: 'a' }, 'unless: must be a list with at least one'],
    [
      'with a condition that is no list',
      { ...sendRequest(), unless: 'userWroteSince', since: 'a' },
      'unless: must be a list with at least one of userWroteSince and operatorWroteSince',
    ],
    ['with params that are a list', { ...templateRequest(), params: ['Ana'] }, 'params: must be an object with the'],
    ['with a param without a name', { ...templateRequest(), params: { '': 'a' } }, 'params.<field>: must have a name'],
    ['with media that is no URL', sendRequest({ imageURL: 'a.jpg' }), 'imageURL: must be a complete URL, such as'],
    ['with another platform that is no text', { ...sendRequest(), chatPlatform: 7 }, 'chatPlatform: must be a string'],
    ['with params and no template', { ...sendRequest(), params: {} }, 'params: needs a template; add `ruleNameOrId`'],
    ['with a number without plus', sendRequest({ chatChannelNumber: '5491100000000' }), 'chatChannelNumber: must be +'],
    ['that does not fit a table item', sendRequest({ messageText: 'x'.repeat(131_072) }), 'the maximum is 131072'],
  ])('explains the fault of a request %s', (_case, request, fault) => {
    const body = typeof request === 'string' ? request : JSON.stringify(request);
    expect(parseSendRequest(body)).toMatchObject({ kind: 'malformed', explanation: expect.stringContaining(fault) });
  });

  it('names every fault in one sentence', () => {
    expect(parse({ requestId: 'a b', messageText: 7, chatPlatform: 7 })).toMatchObject({
      kind: 'malformed',
      explanation:
        'Not a send request: requestId: must be 1 to 128 letters, digits, or punctuation characters, without ' +
        'spaces; chatPlatform: must be a string; messageText: must be a string.',
    });
  });
});

describe('parseDueMessage', () => {
  it('returns the request id that serializeDueMessage wrote', () => {
    expect(parseDueMessage(serializeDueMessage('request-1'))).toBe('request-1');
    expect(parseDueMessage(serializeDueMessage('"'.repeat(128)))).toBe('"'.repeat(128));
  });

  it.each([
    ['a send request', JSON.stringify(sendRequest())],
    ['a send request with the id of a due one', JSON.stringify({ ...sendRequest(), scheduledRequestId: 'request-1' })],
    ['an id that is not a string', '{"scheduledRequestId":1}'],
    ['not JSON', '{'],
  ])('returns undefined for %s', (_case, body) => {
    expect(parseDueMessage(body)).toBeUndefined();
  });
});
