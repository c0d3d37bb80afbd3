import { randomBytes } from 'node:crypto';
import type { StageSettings } from '../../lib/settings/stage-settings.ts';
import type { Sandbox, WebhookSettings } from '../../sandbox/sandbox.ts';
import type { MovableClock } from '../base/clock.ts';
import type { Emulators } from '../emulators/emulators.ts';
import { featuresOf } from '../inspector/features.ts';
import { createInspector, type InspectedStack } from '../inspector/inspector.ts';

type WebhookAuth = StageSettings['webhook']['auth'];

/** The parts of the stack to connect to the sandbox. */
export interface ConnectedStack extends InspectedStack {
  readonly webhookUrl: string;
  readonly accessTokenSecretId: string;
  /** Undefined if the webhook's authentication uses no secret. */
  readonly webhookSecretId?: string | undefined;
}

export interface ConnectionSettings {
  /** Of the stage. */
  readonly settings: Pick<StageSettings, 'webhook' | 'operators' | 'keywords' | 'sends' | 'turns' | 'window'>;
  /** The token that the sandbox accepts. */
  readonly accessToken: string;
  readonly emulators: Emulators;
  readonly clock: MovableClock;
  readonly warn: (message: string) => void;
}

/**
 * Connects the sandbox to a running stack: stores the access token in the stack, makes the sandbox deliver events to
 * the webhook, and adds an inspector to the sandbox's console.
 *
 * @returns a resource that disconnects the inspector.
 */
export const connectSandbox = (
  sandbox: Sandbox,
  stack: ConnectedStack,
  { settings, accessToken, emulators, clock, warn }: ConnectionSettings,
): Disposable => {
  const { secrets } = emulators;
  const { auth } = settings.webhook;
  const putSecret = (id: string | undefined, value: string | undefined): void => {
    const secret = id === undefined ? undefined : secrets.find(id);
    if (secret && value !== undefined) secrets.put(secret, value);
  };
  putSecret(stack.accessTokenSecretId, accessToken);
  const signing = signingFor(auth);
  putSecret(stack.webhookSecretId, signing?.secret);
  if (signing) {
    sandbox.setWebhook({ url: stack.webhookUrl, auth: signing.auth, wrapped: signing.wrapped });
  } else {
    warn(
      `The sandbox cannot sign webhook requests for webhook.auth.kind "${auth.kind}", so it delivers no events. ` +
        'Sign and post your own events.',
    );
  }
  const inspector = createInspector(emulators, stack, featuresOf(settings), clock.now);
  sandbox.setInspector(inspector);
  return inspector;
};

/** How the sandbox signs its webhook requests. */
interface WebhookSigning {
  readonly auth: WebhookSettings['auth'];
  /** Whether the webhook expects Pub/Sub pushes, not bare events. */
  readonly wrapped: boolean;
  /** The value of the webhook's secret. Undefined if the authentication uses none. */
  readonly secret?: string;
}

/**
 * Returns how the sandbox signs webhook requests for a stage's authentication, with a new secret.
 *
 * @returns undefined for Amazon SNS, whose certificates are trusted only if they come from AWS.
 */
const signingFor = (auth: WebhookAuth): WebhookSigning | undefined => {
  switch (auth.kind) {
    case 'pubsub-jwt': {
      const { kind, audience, serviceAccountEmail } = auth;
      return { auth: { kind, audience, serviceAccountEmail }, wrapped: true };
    }
    case 'standard-webhooks': {
      const secret = `whsec_${randomBytes(32).toString('base64')}`;
      return { auth: { kind: auth.kind, secrets: [secret] }, wrapped: isWrapped(auth), secret };
    }
    case 'shared-token': {
      const secret = randomBytes(24).toString('base64url');
      return { auth: { kind: auth.kind, header: auth.header, token: secret }, wrapped: isWrapped(auth), secret };
    }
    case 'insecure-none':
      return { auth: { kind: 'none' }, wrapped: isWrapped(auth) };
    case 'sns':
      return undefined;
  }
};

const isWrapped = ({ envelope }: Extract<WebhookAuth, { envelope: unknown }>): boolean => envelope === 'pubsub';
