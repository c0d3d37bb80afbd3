import { bufferedHeader, bufferedText } from '../../../lambdas/domain/buffered-request.ts';

/**
 * The mapping templates of buffered ingress, in the Velocity Template Language. They are written without line breaks,
 * because every character outside of a directive is part of the request.
 *
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-mapping-template-reference.html
 */

/** Base64 has no character with a meaning in JSON, and its encoding none with a meaning in a form. */
const base64Of = (expression: string): string => `$util.urlEncode($util.base64Encode(${expression}))`;

/**
 * Returns the template that turns a webhook request into a call of SQS's SendMessage. The message is a buffered
 * request.
 *
 * - A client chooses the case of its headers' names, and can send a header twice, so the template compares all names.
 * - A client can choose `$context.requestId`, but not `$context.extendedRequestId`.
 * - `$input.body` is the base64 of the body, because the API treats every body as binary and converts it to text.
 *
 * @param headers the names of the headers to keep, in lower case
 * @param pathParameter the path parameter that names the business number. @default none
 */
export function sendMessageTemplate(headers: readonly string[], pathParameter?: string): string {
  const kept = headers.map((name, index) => {
    const condition = `${index === 0 ? '#if' : '#elseif'}($lower == '${name}')`;
    return `${condition}${bufferedHeader(name, base64Of('$all.get($name)'), encodeURIComponent)}`;
  });
  const message = bufferedText(
    {
      requestId: base64Of('$context.extendedRequestId'),
      receivedAtMs: '$context.requestTimeEpoch',
      chatChannelNumber:
        pathParameter === undefined ? '' : base64Of(`$input.params().get('path').get('${pathParameter}')`),
      headers: `#foreach($name in $all.keySet())#set($lower = $name.toLowerCase())${kept.join('')}#end#end`,
      body: '$util.urlEncode($input.body)',
    },
    encodeURIComponent,
  );
  return `#set($all = $input.params().get('header'))Action=SendMessage&Version=2012-11-05&MessageBody=${message}`;
}

/** The constant body of an answer. */
export const answerTemplate = (message: string): string => JSON.stringify({ message });

/** How SQS names a message of more than 1 MiB. All its other reasons for a 4xx can pass, such as throttling. */
const TOO_LARGE = 'must be shorter than';

/**
 * Returns the template of the answer to a request that SQS refuses with 4xx: that of its response, 413, if the message
 * is too large, and otherwise 503, after which it is redelivered.
 *
 * SQS's answer may be converted to base64, because the API treats every body as binary. A text has one of three forms
 * in base64, depending on its position. The template sets the status at most once: API Gateway answers 5xx to a second
 * override. An integration cannot have two responses with the status 503.
 *
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-override-request-response-parameters.html
 */
export function refusedTemplate(): string {
  const signs = [TOO_LARGE, ...[0, 1, 2].map((position) => base64Inside(TOO_LARGE, position))];
  const isTooLarge = signs.map((sign) => `$answer.indexOf('${sign}') >= 0`).join(' || ');
  return (
    `#set($answer = $input.body)#if(${isTooLarge})${answerTemplate('Payload Too Large')}` +
    `#else#set($context.responseOverride.status = 503)${answerTemplate('Service Unavailable')}#end`
  );
}

const BITS_OF_BYTE = 8;
const BITS_OF_CHARACTER = 6;

/** Returns the characters of a text in base64 that do not depend on what surrounds it. */
const base64Inside = (text: string, position: number): string => {
  const encoded = Buffer.from(' '.repeat(position) + text).toString('base64');
  const from = Math.ceil((position * BITS_OF_BYTE) / BITS_OF_CHARACTER);
  const to = Math.floor(((position + text.length) * BITS_OF_BYTE) / BITS_OF_CHARACTER);
  return encoded.slice(from, to);
};
