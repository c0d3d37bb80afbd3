/** How the carrier's posts are signed. */
export type WebhookAuth =
  | {
      /** A bearer token as Google Cloud Pub/Sub makes it. */
      kind: 'pubsub-jwt';
      audience: string;
      serviceAccountEmail: string;
      /** @default 'https://accounts.google.com' */
      issuer?: string;
    }
  | {
      /** HMAC as in the Standard Webhooks specification; one signature for each secret. */
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
      /** As Amazon SNS signs, with the sandbox's own certificate. */
      kind: 'sns';
      topicArn: string;
      /** 1 is SHA1withRSA, 2 is SHA256withRSA. @default '1' */
      signatureVersion?: '1' | '2';
      /** True: events come without waiting for the visit of the SubscribeURL. @default false */
      confirmed?: boolean;
    }
  | { kind: 'none' };

/** Where the carrier delivers to, and how its posts are signed. */
export type WebhookSettings = {
  url: string;
  auth: WebhookAuth;
  /**
   * False: the post's body is the bare event instead of the carrier's envelope, which is Pub/Sub's unless `auth` is
   * `sns`. Bare posts of SNS ("raw message delivery") are not signed. @default true
   */
  wrapped?: boolean;
  /** Whether bare posts tell the message's id and publish time in headers, as Pub/Sub does when asked. @default false */
  writeMetadata?: boolean;
};
