import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SendEndpoint } from '../../../../lambdas/domain/send-outcome.ts';
import { sendOutcome } from '../../../../lambdas/domain/send-outcome.ts';

const answered = (httpStatus: number, body?: unknown, endpoint: SendEndpoint = 'message/v3') =>
  sendOutcome(endpoint, { kind: 'answered', httpStatus, body });

describe('sendOutcome', () => {
  it.each([
    ['an id', 200, { id: 'm1' }, { kind: 'accepted', messageId: 'm1' }],
    ['an id and no problems', 200, { id: 'm1', problems: null }, { kind: 'accepted', messageId: 'm1' }],
    [
      '200 with problems',
      200,
      { problems: { code: 304, message: 'Invalid channel' }, result: {} },
      { kind: 'rejected', code: 304 },
    ],
    [
      '200 with an id and problems',
      200,
      { id: 'm1', problems: { code: 304 } },
      { kind: 'uncertain', isAnswered: true },
    ],
    [
      '200 with an id and problems that cannot be read',
      200,
      { id: 'm1', problems: 'quota' },
      { kind: 'uncertain', isAnswered: true },
    ],
    ['200 without an id', 200, { result: {} }, { kind: 'uncertain', isAnswered: true }],
    ['200 that is not JSON', 200, undefined, { kind: 'uncertain', isAnswered: true }],
    [
      'code 201 with 403',
      403,
      { error: { code: 201, message: 'User window is over 24 hours' } },
      { kind: 'window-closed' },
    ],
    ['code 201 with 200', 200, { problems: { code: 201 } }, { kind: 'window-closed' }],
    ['code 201 with 500', 500, { error: { code: 201 } }, { kind: 'window-closed' }],
    [
      'code 101',
      403,
      { error: { code: 101, message: 'Insufficient credit' } },
      {
        kind: 'not-done',
        cause: 'no-credit',
        explanation: "HTTP 403, code 101: the chat service's account has no credit; add credit",
      },
    ],
    ['401 in plain text', 401, undefined, { kind: 'not-done', cause: 'token' }],
    ['429', 429, undefined, { kind: 'not-done', cause: 'unavailable' }],
    ['503', 503, undefined, { kind: 'not-done', cause: 'unavailable' }],
    ['404 with an empty body', 404, undefined, { kind: 'not-done', cause: 'blocked' }],
    ['403 with an empty body', 403, undefined, { kind: 'not-done', cause: 'blocked' }],
    ['400 with an empty list of errors', 400, { errors: [] }, { kind: 'not-done', cause: 'blocked' }],
    [
      '429 with a list of errors',
      429,
      { errors: [{ message: 'Slow down' }] },
      { kind: 'not-done', cause: 'unavailable' },
    ],
    ['401 with a list of errors', 401, { errors: [{ message: 'Bad token' }] }, { kind: 'not-done', cause: 'token' }],
    [
      'a list of problems',
      200,
      { problems: [{ code: 7, message: 'Unknown rule' }, { message: 'No params' }] },
      { kind: 'rejected', code: 7, explanation: 'HTTP 200, code 7', details: 'Unknown rule; No params' },
    ],
    [
      'code 101 in a list',
      403,
      { errors: [{ message: 'x' }, { code: 101 }] },
      { kind: 'not-done', cause: 'no-credit' },
    ],
    ['code 201 in a list', 200, { problems: [{ code: 201, message: 'closed' }] }, { kind: 'window-closed' }],
    [
      'a list of problems that are texts',
      200,
      { problems: ['quota', 'No params'] },
      { kind: 'rejected', details: 'quota; No params' },
    ],
    [
      'a problem without a code and a message',
      200,
      { problems: [{ field: 'platformContactId', reason: 'unknown' }], result: {} },
      { kind: 'rejected', explanation: 'HTTP 200', details: '{"field":"platformContactId","reason":"unknown"}' },
    ],
    ['a problem that is only a number', 200, { problems: 7 }, { kind: 'rejected', details: '7' }],
    ['an error that is true', 200, { error: true }, { kind: 'rejected', details: 'true' }],
    ['problems that are empty', 200, { problems: [null, {}, ''] }, { kind: 'uncertain', isAnswered: true }],
    ['an id and an error that is false', 200, { id: 'm1', error: false }, { kind: 'accepted', messageId: 'm1' }],
    ['an id and no errors, counted', 200, { id: 'm1', errors: 0 }, { kind: 'accepted', messageId: 'm1' }],
    ['an id and problems that are empty', 200, { id: 'm1', problems: [{}] }, { kind: 'accepted', messageId: 'm1' }],
    ['400 with an error that is a text', 400, { error: 'Bad Request' }, { kind: 'not-done', cause: 'blocked' }],
    ['another 4xx', 400, { error: { code: 7, message: 'Unknown rule' } }, { kind: 'rejected', code: 7 }],
    ['500', 500, undefined, { kind: 'uncertain', isAnswered: false }],
    ['502', 502, { error: { code: 1 } }, { kind: 'uncertain' }],
    ['504', 504, undefined, { kind: 'uncertain' }],
    [
      'an id beside problems without code and message',
      200,
      { id: 'm1', problems: {}, error: {} },
      { kind: 'accepted', messageId: 'm1' },
    ],
    ['an id that is a number', 200, { id: 17 }, { kind: 'accepted', messageId: '17' }],
    ['an id too long to be stored', 200, { id: 'x'.repeat(1025) }, { kind: 'uncertain' }],
    ['a code that is a string', 400, { error: { code: '201', message: 'closed' } }, { kind: 'window-closed' }],
    ['a redirect', 302, undefined, { kind: 'not-done', cause: 'unavailable' }],
    ['a redirect after the call was made', 303, undefined, { kind: 'uncertain' }],
    ['a body of another shape', 200, ['m1'], { kind: 'uncertain' }],
  ])('%s', (_case, httpStatus, body, outcome) => {
    expect(answered(httpStatus, body)).toMatchObject(outcome);
  });

  it('is not-done if no part of the request was written, and uncertain otherwise', () => {
    expect(sendOutcome('message/v3', { kind: 'not-sent', cause: 'ECONNREFUSED' })).toMatchObject({
      kind: 'not-done',
      cause: 'unavailable',
    });
    expect(sendOutcome('message/v3', { kind: 'unknown', cause: 'ECONNRESET' })).toMatchObject({
      kind: 'uncertain',
      isAnswered: false,
    });
  });
});

describe("an answer with the id of the service's job", () => {
  const NAMES = ['webhookNotificationId', 'requestId', 'txId', 'intentTxId'];

  it.each(NAMES)('is accepted from both endpoints: %s', (name) => {
    for (const endpoint of ['message/v3', 'intent/v2'] as const) {
      for (const [id, asText] of [
        ['TX000000000000000001', 'TX000000000000000001'],
        [17, '17'],
      ]) {
        expect(answered(202, { [name]: id }, endpoint)).toEqual({ kind: 'accepted', transactionIds: [asText] });
      }
    }
  });

  it('has each id once, besides that of the message', () => {
    expect(answered(200, { id: 'm1', requestId: 't1', txId: 't2', intentTxId: 't1' })).toEqual({
      kind: 'accepted',
      messageId: 'm1',
      transactionIds: ['t1', 't2'],
    });
  });

  it.each([
    ['too long to be stored', 'x'.repeat(1025)],
    ['empty', ''],
    ['not well-formed', '\ud800'],
    ['not a whole number', 1.5],
    ['an object', {}],
  ])('is not accepted from message/v3 if it is %s', (_case, id) => {
    const outcome = answered(202, { webhookNotificationId: id });
    expect(outcome).toMatchObject({ kind: 'uncertain', isAnswered: true });
    expect(outcome).not.toHaveProperty('transactionIds');
  });

  it.each([
    ['and a problem', 202, { requestId: 't1', errors: [{ message: 'No rule' }] }, true],
    ['of a call that failed', 500, { requestId: 't1' }, false],
  ])('is uncertain, with the id: %s', (_case, httpStatus, body, isAnswered) => {
    expect(answered(httpStatus, body)).toMatchObject({ kind: 'uncertain', isAnswered, transactionIds: ['t1'] });
  });

  it('is rejected if the service refuses it', () => {
    expect(answered(400, { requestId: 't1', errors: [{ message: 'No rule' }] })).toMatchObject({ kind: 'rejected' });
  });
});

describe('a list of errors', () => {
  const errors = [
    { type: 'validation', source: 'chat.contactId', message: 'is missing' },
    { type: 'validation', message: '+5491155550000 is no channel' },
  ];

  it.each([400, 200])('is a rejection with its reasons and without numbers: %i', (httpStatus) => {
    expect(answered(httpStatus, { errors })).toEqual({
      kind: 'rejected',
      explanation: `HTTP ${httpStatus}`,
      details: 'chat.contactId: is missing (validation); ***00 is no channel (validation)',
    });
  });

  it('is read to a limit, whatever its length', () => {
    const outcome = answered(400, { errors: Array.from({ length: 50_000 }, (_, index) => ({ message: `m${index}` })) });
    expect(outcome).toMatchObject({ details: expect.stringMatching(/^m0; .*; m19$/) });
  });
});

describe('an invalid channel', () => {
  const invalid = (message: string, code = 304) => answered(200, { problems: { code, message }, result: {} });

  it('is explained with the valid channels, which the details mask', () => {
    expect(invalid('Invalid channel. Valid channels are [5491100000000, acme-whatsapp-5491100000001]')).toEqual({
      kind: 'rejected',
      code: 304,
      explanation:
        'HTTP 200, code 304: the channels of the access token are 5491100000000, acme-whatsapp-5491100000001; ' +
        'set chatChannelNumber to one of them',
      details: 'Invalid channel. Valid channels are [***00, acme-whatsapp-***01]',
    });
  });

  it.each([
    ['another code', 'Invalid channel. Valid channels are [5491100000000]', 305],
    ['a text before the list', 'To 5491155550000: Invalid channel. Valid channels are [5491100000000]'],
    ['a number beside the list', 'Invalid channel. Valid channels are [5491100000000] 5491155550000'],
    ['an empty list', 'Invalid channel. Valid channels are []'],
    ['what is no channel', 'Invalid channel. Valid channels are [write to 5491155550000]'],
  ])('is explained without numbers if the message has %s', (_case, message, code = 304) => {
    expect(invalid(message, code)).toMatchObject({ kind: 'rejected', explanation: `HTTP 200, code ${code}` });
  });

  it('is explained with at most ten channels', () => {
    const channels = Array.from({ length: 12 }, (_, index) => `54911${10_000_000 + index}`);
    expect(invalid(`Invalid channel. Valid channels are [${channels.join(', ')}]`)).toMatchObject({
      explanation: expect.stringContaining(`are ${channels.slice(0, 10).join(', ')}; set`),
    });
  });
});

describe('a refused token', () => {
  const refused = (tokenRefusal?: string) =>
    sendOutcome('message/v3', { kind: 'answered', httpStatus: 401, body: undefined, tokenRefusal });

  it.each<[string | undefined, string]>([
    [undefined, 'HTTP 401'],
    ['', 'HTTP 401'],
    ['\n\t ', 'HTTP 401'],
    ['JWT must have 3 parts', 'HTTP 401: "JWT must have 3 parts"'],
    ['the "alg"\r\n is\u202e missing', `HTTP 401: "the 'alg' is missing"`],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig is expired', 'HTTP 401: "... is expired"'],
    ['not for 5491155550000', 'HTTP 401: "not for ***00"'],
  ])('is explained with its reason, which is short and printable and has no token: %j', (reason, explanation) => {
    expect(refused(reason)).toEqual({ kind: 'not-done', cause: 'token', explanation });
  });

  it('is explained with at most 120 characters of its reason', () => {
    expect(refused('no '.repeat(1_000))).toMatchObject({ explanation: `HTTP 401: "${'no '.repeat(40)}"` });
  });
});

describe('an answer of intent/v2 without an id', () => {
  it.each([[{ problems: null, result: {} }], [{}], [[]], [{ error: {}, problems: [] }]])(
    'is accepted if it is readable JSON without problems: %j',
    (body) => {
      expect(answered(200, body, 'intent/v2')).toEqual({ kind: 'accepted' });
    },
  );

  it('is uncertain and not resent if it is not JSON', () => {
    expect(answered(200, undefined, 'intent/v2')).toMatchObject({ kind: 'uncertain', isAnswered: true });
  });

  it.each([[{ problems: 'quota' }], [{ error: 7 }]])('is rejected with a problem of any form: %j', (body) => {
    expect(answered(200, body, 'intent/v2')).toMatchObject({ kind: 'rejected' });
  });

  it('is rejected with a problem', () => {
    expect(answered(200, { problems: { code: 304 } }, 'intent/v2')).toMatchObject({ kind: 'rejected', code: 304 });
  });
});

describe('a 2xx', () => {
  it('is never repeated, whatever its body: it is accepted, rejected, or uncertain and answered', () => {
    const json = fc.oneof(
      fc.constant(undefined),
      fc.jsonValue(),
      fc.record(
        {
          id: fc.jsonValue(),
          txId: fc.jsonValue(),
          problems: fc.jsonValue(),
          error: fc.jsonValue(),
          errors: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    );
    const endpoint = fc.constantFrom('message/v3' as const, 'intent/v2' as const);
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 299 }), json, endpoint, (httpStatus, body, to) => {
        const outcome = answered(httpStatus, body, to);
        expect(['accepted', 'rejected', 'uncertain']).toContain(outcome.kind);
        if (outcome.kind === 'uncertain') expect(outcome.isAnswered).toBe(true);
      }),
    );
  });
});

describe('the details of a fault', () => {
  it('have at most 500 well-formed characters', () => {
    const outcome = sendOutcome('message/v3', {
      kind: 'answered',
      httpStatus: 400,
      body: { error: { code: 1, message: `\ud800${'x'.repeat(10_000)}` } },
    });
    const details = outcome.kind === 'rejected' ? (outcome.details ?? '') : '';
    expect(details).toHaveLength(500);
    expect(details.isWellFormed()).toBe(true);
  });
});
