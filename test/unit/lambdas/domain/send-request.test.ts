import { describe, expect, it } from 'vitest';
import { readSendRequest } from '../../../../lambdas/domain/send-request.ts';
import { sendRequest, templateRequest } from '../../../support/builders.ts';

const read = (request: unknown) => readSendRequest(JSON.stringify(request));

describe('a send request', () => {
  it.each([
    ['a free-form message', sendRequest()],
    ['a template', templateRequest()],
    ['both in one', { ...sendRequest(), ...templateRequest() }],
    ['media without text', sendRequest({ messageText: undefined, imageURL: 'https://media.example/a.jpg' })],
    [
      'every field',
      { ...sendRequest(), notAfter: '2026-11-21T00:00:00-03:00', onUncertain: 'resend', chatPlatform: 'chat' },
    ],
  ])('may be %s', (_case, request) => {
    expect(read(request)).toEqual({ kind: 'request', request: JSON.parse(JSON.stringify(request)) });
  });

  it.each([
    ['not JSON', '{', 'not JSON'],
    ['an array', '[]', 'expected object'],
    ['without a request id', sendRequest({ requestId: undefined }), 'requestId: is missing'],
    ['with an id that SQS would not take', sendRequest({ requestId: 'a b' }), 'requestId: must be 1 to 128'],
    ['with an id too long', sendRequest({ requestId: 'x'.repeat(129) }), 'requestId: must be 1 to 128'],
    ['without a user', sendRequest({ platformContactId: undefined }), 'platformContactId: is missing'],
    ['empty', sendRequest({ messageText: undefined }), 'needs something to send'],
    ['with an empty text', sendRequest({ messageText: '' }), 'messageText: must not be empty'],
    ['with a lone surrogate', sendRequest({ messageText: '\ud800' }), 'messageText: is not well-formed'],
    ['misspelt', { ...sendRequest(), notafter: '2026-11-21T00:00:00Z' }, 'notafter'],
    [
      'for a reason that is not approved',
      { ...templateRequest(), reason: 'advertising' },
      'reason: must be one of account-update',
    ],
    ['with a time without offset', sendRequest({ notAfter: '2026-11-21T00:00:00' }), 'notAfter: must be an ISO 8601'],
    ['with params that are no text', { ...templateRequest(), params: { amount: 5 } }, 'params.amount: must be text'],
    ['with params and no template', { ...sendRequest(), params: {} }, 'params: go with ruleNameOrId'],
    ['with a number without plus', sendRequest({ chatChannelNumber: '5491100000000' }), 'chatChannelNumber: must be +'],
    ['larger than a table item can keep', sendRequest({ messageText: 'x'.repeat(131_072) }), 'it may have 131072'],
  ])('is refused when it is %s, in a sentence that names the fault', (_case, request, fault) => {
    const body = typeof request === 'string' ? request : JSON.stringify(request);
    expect(readSendRequest(body)).toEqual({ kind: 'malformed', explanation: expect.stringContaining(fault) });
  });
});
