import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { bufferedHeader, bufferedText } from '../../../lambdas/domain/buffered-request.ts';

/** Returns the message that API Gateway puts on the inbound queue for a post. */
export const bufferedPost = (
  { headers, body = '', pathParameters }: APIGatewayProxyEventV2,
  receivedAtMs: number,
): string =>
  bufferedText({
    requestId: base64Of(`request-${receivedAtMs}`),
    receivedAtMs: String(receivedAtMs),
    chatChannelNumber: base64Of(pathParameters?.chatChannelNumber ?? ''),
    headers: Object.entries(headers)
      .map(([name, value = '']) => bufferedHeader(name, base64Of(value)))
      .join(''),
    body: base64Of(body),
  });

const base64Of = (text: string): string => Buffer.from(text).toString('base64');
