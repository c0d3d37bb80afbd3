import { randomBytes } from 'node:crypto';
import type { PublishedMessage } from './published-message.ts';

/** How webhook requests are signed. */
export type WebhookAuth =
  | {
      /** A bearer token like Google Cloud Pub/Sub's. */
      kind: 'pubsub-jwt';
      audience: string;
      serviceAccountEmail: string;
      /** @default 'https://accounts.google.com' */
      issuer?: string;
    }
  | {
      /** HMAC as in the Standard Webhooks specification, with one signature per secret. */
      kind: 'standard-webhooks';
      /** Base64, with or without the prefix `whsec_`. */
      secrets: readonly string[];
    }
  | {
      /** A static token in a header. */
      kind: 'shared-token';
      header: string;
      token: string;
    }
  | {
      /** A signature like Amazon SNS's, with the sandbox's own certificate. */
      kind: 'sns';
      topicArn: string;
      /** 1 is SHA1withRSA, 2 is SHA256withRSA. @default '1' */
      signatureVersion?: '1' | '2';
      /** True delivers events without waiting for the SubscribeURL to be visited. @default false */
      confirmed?: boolean;
    }
  | { readonly kind: 'none' };

/** Where events are delivered, and how the requests are signed. */
export interface WebhookSettings {
  readonly url: string;
  readonly auth: WebhookAuth;
  /**
   * Whether the body is an envelope (SNS's with the auth `sns`, otherwise Pub/Sub's) or the bare event. Bare requests
   * with the auth `sns` ("raw message delivery") are not signed.
   *
   * @default true
   */
  readonly wrapped?: boolean;
  /** Whether bare requests carry the message's id and publish time in headers, a Pub/Sub option. @default false */
  readonly writeMetadata?: boolean;
}

/**
 * The delivery to one webhook. SNS delivers no event before the subscription is confirmed, so the confirmation request
 * is delivered first.
 * Source: https://docs.aws.amazon.com/sns/latest/dg/http-subscription-confirmation-json.html
 */
export interface Subscription {
  readonly webhook: WebhookSettings | undefined;
  /** Whether this message may be delivered now. */
  takes(message: PublishedMessage): boolean;
  /** Returns what the subscriber must confirm, if anything. */
  confirmationRequest(): { token: string; text: string } | undefined;
  /** Confirms the subscription. Returns false for an unknown token. */
  confirm(token: string): boolean;
}

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
