import { describe, expect, it } from 'vitest';
import { describeError, summarizeError } from '../../../../lambdas/domain/describe-error.ts';
import { DamagedItemError, LoggableError } from '../../../../lambdas/domain/errors.ts';
import { CANARIES, canariesIn } from '../../../support/canaries.ts';

const quoting = `${CANARIES.text}\n    at ${CANARIES.name} (file:///${CANARIES.number})\n${CANARIES.accessToken}`;

/** As the SDK throws it: the item and the response are properties of the error. */
const serviceError = (changes: object = {}) =>
  Object.assign(new Error(quoting), {
    name: 'ValidationException',
    $metadata: { httpStatusCode: 400, requestId: 'AWS-1' },
    Item: { name: { S: CANARIES.name } },
    $response: { body: CANARIES.text },
    ...changes,
  });

describe('a described error', () => {
  it('contains the name, the status, the request id, and the stack, but nothing that the service quotes', () => {
    const described = describeError(serviceError({ cause: serviceError() }));

    expect(described).toMatchObject({
      name: 'ValidationException',
      httpStatus: 400,
      awsRequestId: 'AWS-1',
      stack: expect.arrayContaining([expect.stringContaining('describe-error.test.ts')]),
      cause: { name: 'ValidationException' },
    });
    expect(canariesIn(JSON.stringify(described))).toEqual([]);
  });

  it('contains no name or code that is free text', () => {
    const error = serviceError({ name: CANARIES.text, code: CANARIES.mediaUrl });

    expect(describeError(error)).toMatchObject({ name: 'Error', code: undefined });
  });

  it('contains the message of an error of Parley', () => {
    expect(describeError(new LoggableError('Time ran out.'))).toMatchObject({ message: 'Time ran out.' });
  });

  it.each([CANARIES.text, undefined, { text: CANARIES.text }])('says only the type of %s', (thrown) => {
    expect(describeError(thrown)).toEqual({ name: typeof thrown });
  });
});

describe('the summary of an error', () => {
  const denied = `User: arn:aws:sts::111122223333:assumed-role/send is not authorized to perform: sqs:SendMessage on ${CANARIES.text}`;

  it.each([
    [serviceError(), 'ValidationException, HTTP 400'],
    [
      serviceError({ name: 'AccessDeniedException', message: denied }),
      'AccessDeniedException, HTTP 400, sqs:SendMessage',
    ],
    [Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:80'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [new DamagedItemError('An item cannot be read.'), 'ERR_DAMAGED_ITEM: An item cannot be read.'],
    [new LoggableError('Time ran out.'), 'Time ran out.'],
    [new SyntaxError(`Unexpected token in "${CANARIES.text}"`), 'SyntaxError'],
    [new Error(CANARIES.text), 'Error'],
    ['text', 'string'],
  ])('of %s is %s', (error, summary) => {
    expect(summarizeError(error)).toBe(summary);
  });
});
