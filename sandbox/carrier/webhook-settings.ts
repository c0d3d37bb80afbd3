/** Where the carrier delivers to, and how its posts are signed. */
export type WebhookSettings = {
  url: string;
  auth: {
    /** A bearer token as Google Cloud Pub/Sub makes it. */
    kind: 'pubsub-jwt';
    audience: string;
    serviceAccountEmail: string;
    /** @default 'https://accounts.google.com' */
    issuer?: string;
  };
  /** False: the post's body is the bare event instead of the carrier's envelope. @default true */
  wrapped?: boolean;
};
