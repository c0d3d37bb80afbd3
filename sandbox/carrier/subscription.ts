import { randomBytes } from 'node:crypto';
import type { CarrierMessage } from './carrier-message.ts';
import type { WebhookSettings } from './webhook-settings.ts';

/**
 * What the carrier and one webhook agreed on. SNS brings no event before its confirmation was visited, so the request
 * for it goes first.
 * Source: https://docs.aws.amazon.com/sns/latest/dg/http-subscription-confirmation-json.html
 */
export type Subscription = {
  readonly webhook: WebhookSettings | undefined;
  /** Whether this message may be brought now. */
  takes(message: CarrierMessage): boolean;
  /** What the subscriber is to be asked, if anything. */
  confirmationRequest(): { token: string; text: string } | undefined;
  confirm(token: string): boolean;
};

export const createSubscription = (webhook: WebhookSettings | undefined): Subscription => {
  const auth = webhook?.auth;
  const token = auth?.kind === 'sns' && auth.confirmed !== true ? randomBytes(32).toString('hex') : undefined;
  let isConfirmed = token === undefined;
  return {
    webhook,
    takes: ({ confirmationToken }) => (confirmationToken === undefined ? isConfirmed : confirmationToken === token),
    confirmationRequest: () =>
      token === undefined || auth?.kind !== 'sns'
        ? undefined
        : {
            token,
            text: `You have chosen to subscribe to the topic ${auth.topicArn}. To confirm, visit the SubscribeURL.`,
          },
    confirm: (given) => {
      if (token === undefined || given !== token) return false;
      isConfirmed = true;
      return true;
    },
  };
};
