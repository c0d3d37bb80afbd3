import { randomBytes } from 'node:crypto';
import type { StageSettings } from '../lib/settings/stage-settings.ts';
import type { WebhookSettings } from '../sandbox/sandbox.ts';

/** How the sandbox signs its posts, and what the webhook's secret must hold for that. */
export interface SandboxWebhook {
  readonly auth: WebhookSettings['auth'];
  /** Only for the kinds that have a secret. */
  readonly secret?: string;
}

/**
 * Has the sandbox sign its posts as the stage's webhook asks, with a secret of the run's own.
 *
 * @returns undefined for Amazon SNS, whose certificates count only from AWS's own hosts.
 */
export const sandboxWebhook = (auth: StageSettings['webhook']['auth']): SandboxWebhook | undefined => {
  switch (auth.kind) {
    case 'pubsub-jwt': {
      const { kind, audience, serviceAccountEmail, issuers } = auth;
      return { auth: { kind, audience, serviceAccountEmail, issuer: issuers[0] } };
    }
    case 'standard-webhooks': {
      const secret = `whsec_${randomBytes(32).toString('base64')}`;
      return { auth: { kind: auth.kind, secrets: [secret] }, secret };
    }
    case 'shared-token': {
      const secret = randomBytes(24).toString('base64url');
      return { auth: { kind: auth.kind, header: auth.header, token: secret }, secret };
    }
    case 'insecure-none':
      return { auth: { kind: 'none' } };
    case 'sns':
      return undefined;
  }
};
