import type { WebhookAuth } from './sandbox.ts';

export type WebhookAuthOptions = {
  kind: string;
  audience: string;
  serviceAccountEmail: string;
  secrets: readonly string[];
  header: string;
  token: string;
  topicArn: string;
};

const BASE64 = /^(whsec_)?[A-Za-z0-9+/]{4,}={0,2}$/;

/** How the command line says that deliveries are signed; a sentence when it says it wrongly. */
export const readWebhookAuth = (options: WebhookAuthOptions): WebhookAuth | string => {
  const { kind, audience, serviceAccountEmail, secrets, header, token, topicArn } = options;
  switch (kind) {
    case 'pubsub-jwt':
      return { kind, audience, serviceAccountEmail };
    case 'standard-webhooks':
      if (secrets.length === 0) return '--auth standard-webhooks needs --secret BASE64.';
      if (!secrets.every((secret) => BASE64.test(secret))) {
        return '--secret must be base64, with or without the prefix whsec_.';
      }
      return { kind, secrets };
    case 'shared-token':
      if (!/^[\x21-\x7e]+$/.test(token)) return '--auth shared-token needs --token TEXT, of visible ASCII characters.';
      if (!/^[a-z0-9-]+$/i.test(header)) return `--token-header is "${header}" but must be the name of a header.`;
      return { kind, header, token };
    case 'sns':
      return { kind, topicArn };
    case 'none':
      return { kind };
    default:
      return `--auth is "${kind}" but must be pubsub-jwt, standard-webhooks, shared-token, sns or none.`;
  }
};
