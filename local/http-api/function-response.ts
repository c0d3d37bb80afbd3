import { isObject } from '../template/intrinsics.ts';

/** What goes back to the client. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer | string;
}

/** The answer when the function failed, or returned what is no answer. */
export const INTERNAL_SERVER_ERROR = { status: 500, message: 'Internal Server Error' };

/**
 * Reads a function's answer in payload format 2.0. Without a `statusCode` the whole of it is the body of a 200.
 *
 * @param payload The function's answer as JSON.
 * @returns Nothing when it is malformed, which HTTP APIs answer with 500.
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html,
 * "Lambda function response for format 2.0"
 */
export const functionResponse = (payload: string): HttpAnswer | undefined => {
  const answer: unknown = JSON.parse(payload);
  if (!isObject(answer) || answer.statusCode === undefined) {
    const body = typeof answer === 'string' ? answer : payload;
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }
  const { statusCode, headers = {}, body = '', cookies = [], isBase64Encoded = false } = answer;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599) return undefined;
  if (!isObject(headers) || typeof body !== 'string' || !Array.isArray(cookies)) return undefined;
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  return {
    status,
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      ...Object.fromEntries(named.filter(([name]) => !PER_CONNECTION.includes(name))),
      ...(cookies.length > 0 && { 'set-cookie': cookies.map(String) }),
    },
    body: isBase64Encoded === true ? Buffer.from(body, 'base64') : body,
  };
};

/** What the API, and not the function, says about its own connection. */
const PER_CONNECTION = ['connection', 'content-length', 'keep-alive', 'transfer-encoding'];
