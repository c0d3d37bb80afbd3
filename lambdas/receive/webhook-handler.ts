import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { fitsQueue } from '../domain/serialized-request.ts';
import type { VerifiedRequest } from '../domain/webhook-request.ts';
import type { Clock } from '../ports.ts';
import { countRefused } from './count-refused.ts';
import type { Receipt } from './receive-events.ts';
import { createVerifyRequest, type VerifyRequestOptions } from './verify-request.ts';

export interface WebhookHandlerOptions extends VerifyRequestOptions {
  readonly receiveEvents: (request: VerifiedRequest) => Promise<Receipt>;
  readonly clock: Clock;
}

type Answer = APIGatewayProxyStructuredResultV2;

/** Uses constant bodies, so that a response reveals nothing about verification or Parley's internals. */
const answer = (statusCode: number, message: string): Answer => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message }),
});
const ACKNOWLEDGED = answer(200, 'OK');
const UNAUTHORIZED = answer(401, 'Unauthorized');
const TOO_LARGE = answer(413, 'Payload Too Large');
const UNAVAILABLE = answer(503, 'Service Unavailable');

/** Handles `POST /webhook` and `POST /webhook/{chatChannelNumber}`. */
export const createWebhookHandler = (options: WebhookHandlerOptions) => {
  const { clock, log, metrics } = options;
  const verifyRequest = createVerifyRequest(options);
  return async (event: APIGatewayProxyEventV2): Promise<Answer> => {
    const unverifiedBody = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
    const verification = await verifyRequest({
      headers: event.headers,
      unverifiedBody,
      chatChannelNumber: event.pathParameters?.chatChannelNumber,
      receivedAt: clock.now(),
    });
    switch (verification.kind) {
      case 'authentic':
        return receive(options, verification.request);
      case 'handled':
        return ACKNOWLEDGED;
      case 'unauthenticated':
        log.warn(
          'webhook request rejected: unauthenticated',
          countRefused(options, unverifiedBody, verification.reason),
        );
        return UNAUTHORIZED;
      case 'unavailable':
        metrics.count('WebhookVerificationUnavailable');
        log.error('webhook request not verified: verification unavailable; waiting for redelivery', {
          reason: verification.reason,
        });
        return UNAVAILABLE;
    }
  };
};

const receive = async (
  { receiveEvents, log, metrics }: WebhookHandlerOptions,
  request: VerifiedRequest,
): Promise<Answer> => {
  if (!fitsQueue(request)) {
    metrics.count('EventTooLarge');
    log.error('webhook request rejected: too large for the inbound queue', { bytes: request.rawBody.byteLength });
    return TOO_LARGE;
  }
  return (await receiveEvents(request)) === 'not-stored' ? UNAVAILABLE : ACKNOWLEDGED;
};
