import { describe, expect, it } from 'vitest';
import { refusedTemplate } from '../../../../../lib/constructs/buffered-ingress/buffered-templates.ts';
import { compileMappingTemplate } from '../../../../../local/rest-api/mapping-template.ts';

const refused = compileMappingTemplate(refusedTemplate(), 'the template');
const answerTo = (body: string) => {
  const { text, status } = refused({
    body,
    headers: {},
    pathParameters: {},
    extendedRequestId: '',
    requestTimeEpoch: 0,
  });
  return [status, JSON.parse(text)];
};

describe('the answer to a request that SQS refuses', () => {
  const tooLarge = (before: string) =>
    `${before}<Message>One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes.</Message>`;
  // The status is that of the response.
  const TOO_LARGE = [undefined, { message: 'Payload Too Large' }];
  const UNAVAILABLE = [503, { message: 'Service Unavailable' }];

  it.each(['', ' ', '  '])(
    'is 413 if the message is too large, whether API Gateway converts its text (%j)',
    (before) => {
      expect(answerTo(tooLarge(before))).toEqual(TOO_LARGE);
      expect(answerTo(Buffer.from(tooLarge(before)).toString('base64'))).toEqual(TOO_LARGE);
    },
  );

  it.each(['<Code>KMS.ThrottlingException</Code>', '<Code>RequestThrottled</Code>', ''])(
    'is 503 for any other reason, so that the request is redelivered: %s',
    (body) => {
      expect(answerTo(body)).toEqual(UNAVAILABLE);
      expect(answerTo(Buffer.from(body).toString('base64'))).toEqual(UNAVAILABLE);
    },
  );
});
