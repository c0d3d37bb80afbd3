import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contactCheckOutcome, isServiceAnswer } from '../../../../lambdas/domain/contact-check.ts';
import type { ChatServiceAnswer } from '../../../../lambdas/domain/send-outcome.ts';
import { USER } from '../../../support/builders.ts';

const answered = (httpStatus: number, body?: unknown): ChatServiceAnswer => ({ kind: 'answered', httpStatus, body });
const checked = (result: unknown) => contactCheckOutcome(answered(200, { problems: null, result }), [USER]);

const DIGITS = '5491155550000';

describe('contactCheckOutcome', () => {
  it.each([USER, DIGITS, '+54 9 11 5555-0000'])('finds a number by its digits in an answer with %s', (asAnswered) => {
    expect(checked({ [asAnswered]: '541155550000' })).toEqual({
      kind: 'checked',
      result: new Map([[DIGITS, '541155550000']]),
      isComplete: true,
    });
  });

  it('says nothing about a number that is missing from a result that cannot be interpreted as a whole', () => {
    const body = { problems: null, result: { '5491155551111': '541155551111', [USER]: { status: 'valid' } } };
    const outcome = contactCheckOutcome(answered(200, body), [USER, '+5491155551111']);
    expect(outcome).toMatchObject({ kind: 'checked', isComplete: false });
  });

  it('finds the number whatever separators the request or the answer uses', () => {
    const spelled = fc.array(fc.constantFrom('', '', '', ' ', '-', '.', '(', ')'), {
      minLength: DIGITS.length,
      maxLength: DIGITS.length,
    });
    fc.assert(
      fc.property(spelled, spelled, (asked, given) => {
        const spell = (separators: readonly string[]) => [...DIGITS].map((digit, i) => digit + separators[i]).join('');
        const body = { problems: null, result: { [spell(given)]: '541155550000' } };
        const outcome = contactCheckOutcome(answered(200, body), [`+${spell(asked)}`]);
        expect(outcome).toMatchObject({ kind: 'checked', result: new Map([[DIGITS, '541155550000']]) });
      }),
    );
  });

  it('treats an empty result as the absence of all numbers', () => {
    expect(checked({})).toEqual({ kind: 'checked', result: new Map(), isComplete: true });
  });

  it.each([[{ '5491155559999': '541155559999' }], [{ [USER]: true }], [{ [USER]: 'no number' }]])(
    'cannot interpret a result that contains none of the numbers: %j',
    (result) => {
      expect(checked(result)).toMatchObject({ kind: 'rejected' });
    },
  );

  it.each([
    ['a refused token', answered(401), { kind: 'not-done', cause: 'token' }],
    ['no credit', answered(403, { error: { code: 101, message: 'x' } }), { kind: 'not-done', cause: 'no-credit' }],
    ['an unavailable service', answered(503), { kind: 'not-done', cause: 'unavailable' }],
    ['a bad gateway', answered(502), { kind: 'uncertain', isAnswered: false }],
    ['no answer', { kind: 'unknown', cause: 'ECONNRESET' } as const, { kind: 'uncertain', isAnswered: false }],
    ['no connection', { kind: 'not-sent', cause: 'ECONNREFUSED' } as const, { kind: 'not-done', cause: 'unavailable' }],
  ])('is unavailable with %s, which the circuit breaker observes', (_case, answer, failure) => {
    expect(contactCheckOutcome(answer, [USER])).toMatchObject({ kind: 'unavailable', failure });
  });

  it.each([404, 400, 403])('is rejected with %s and no result', (httpStatus) => {
    expect(contactCheckOutcome(answered(httpStatus), [USER])).toMatchObject({ kind: 'rejected' });
  });
});

describe('an answer in the name of the service', () => {
  it('says why the check was rejected, with the code and the valid channels', () => {
    const message = 'Invalid channel. Valid channels are [5491100000000]';
    expect(contactCheckOutcome(answered(200, { problems: { code: 304, message }, result: {} }), [USER])).toEqual({
      kind: 'rejected',
      code: 304,
      explanation:
        'The chat service answered the contact check with HTTP 200, code 304: the channels of the access token are ' +
        '5491100000000; set chatChannelNumber to one of them',
    });
  });

  it('says why the token was refused', () => {
    const answer = { kind: 'answered', httpStatus: 401, body: undefined, tokenRefusal: 'JWT expired' } as const;
    expect(contactCheckOutcome(answer, [USER])).toMatchObject({
      failure: { explanation: 'The chat service answered the contact check with HTTP 401: "JWT expired"' },
    });
  });
});

describe('isServiceAnswer', () => {
  it.each([
    ['a result', answered(200, { problems: null, result: {} }), true],
    ['a result in a form that the field notes do not show', answered(200, { contacts: [] }), true],
    ['problems', answered(200, { problems: { code: 304, message: 'Invalid channel' } }), true],
    ['a list of problems', answered(403, { problems: [{ code: 304, message: 'Invalid channel' }] }), true],
    ['a list of errors', answered(400, { errors: [{ type: 'x', source: 'y', message: 'z' }] }), true],
    ['an empty list of errors', answered(400, { errors: [] }), false],
    ["the contract's error body", answered(403, { error: { code: 101, message: 'Insufficient credit' } }), true],
    ['401 in plain text', answered(401), true],
    ['404 with an empty body: the path may be wrong', answered(404), true],
    ['405 with an empty body: the path may be wrong', answered(405), true],
    ['a page of something in front of the service', answered(200), false],
    ["a firewall's refusal", answered(403), false],
    ['JSON of something in front of the service', answered(502, { message: 'Bad gateway' }), false],
    ['502', answered(502), false],
    ['503', answered(503), false],
    ['no answer', { kind: 'unknown', cause: 'ECONNRESET' } as const, false],
    ['no connection', { kind: 'not-sent', cause: 'ECONNREFUSED' } as const, false],
  ])('of %s', (_case, answer, isAnswer) => {
    expect(isServiceAnswer(answer)).toBe(isAnswer);
  });
});
