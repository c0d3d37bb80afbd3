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
      { kind: 'not-done', cause: 'no-credit' },
    ],
    ['401 in plain text', 401, undefined, { kind: 'not-done', cause: 'token' }],
    ['429', 429, undefined, { kind: 'not-done', cause: 'unavailable' }],
    ['503', 503, undefined, { kind: 'not-done', cause: 'unavailable' }],
    ['404 with an empty body', 404, undefined, { kind: 'not-done', cause: 'blocked' }],
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

describe('an answer of intent/v2 without an id', () => {
  it.each([[{ problems: null, result: {} }], [{}], [[]], [{ error: {}, problems: [] }]])(
    'is accepted if it is readable JSON without problems: %j',
    (body) => {
      expect(answered(200, body, 'intent/v2')).toEqual({ kind: 'accepted' });
    },
  );

  it.each([[undefined], [{ problems: 'quota' }], [{ error: 7 }]])(
    'is uncertain and not resent otherwise: %j',
    (body) => {
      expect(answered(200, body, 'intent/v2')).toMatchObject({ kind: 'uncertain', isAnswered: true });
    },
  );

  it('is rejected with a problem', () => {
    expect(answered(200, { problems: { code: 304 } }, 'intent/v2')).toMatchObject({ kind: 'rejected', code: 304 });
  });
});

describe('a 2xx', () => {
  it('is never repeated, whatever its body: it is accepted, rejected, or uncertain and answered', () => {
    const json = fc.oneof(
      fc.constant(undefined),
      fc.jsonValue(),
      fc.record({ id: fc.jsonValue(), problems: fc.jsonValue(), error: fc.jsonValue() }, { requiredKeys: [] }),
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
