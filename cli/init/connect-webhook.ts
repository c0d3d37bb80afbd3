import type { StageSettingsInput } from '../../lib/settings/stage-settings.ts';

type Auth = StageSettingsInput['webhook']['auth'];

/**
 * Returns how to connect the chat service's webhook, which depends on how its requests are authenticated.
 *
 * @param parley How the reader runs the command `parley`.
 */
export const connectWebhook = (auth: Auth, parley: string): string => {
  switch (auth.kind) {
    case 'pubsub-jwt':
      return `Create a push subscription of the Google Cloud Pub/Sub topic that the chat service publishes to, with the
\`audience\` and \`serviceAccountEmail\` of the stage, and the output \`WebhookUrl\`. If the topic belongs to the chat
service, ask its support to create the subscription:

\`\`\`sh
gcloud pubsub subscriptions create parley-dev --topic TOPIC --push-endpoint WEBHOOK-URL \\
  --push-auth-service-account SERVICE-ACCOUNT-EMAIL --push-auth-token-audience AUDIENCE
\`\`\``;
    case 'standard-webhooks':
      return `In the chat service, set the webhook to the output \`WebhookUrl\`, and its signing secret to \`whsec_\`
followed by the value of the secret whose ARN is the output \`WebhookSecretId\`:
${secretCommands(parley, 'the signing secret')}`;
    case 'shared-token':
      return `In the chat service, set the webhook to the output \`WebhookUrl\`, and its token to the value of the
secret whose ARN is the output \`WebhookSecretId\`. Parley expects the token in the header
\`${auth.header}\`, and answers any other request with 401:
${secretCommands(parley, 'the token')}`;
    case 'sns':
      return `Subscribe the output \`WebhookUrl\` to the topic, without raw message delivery. Parley confirms the
subscription:

\`\`\`sh
aws sns subscribe --protocol https --notification-endpoint WEBHOOK-URL \\
  --topic-arn ${auth.topicArn}
\`\`\``;
    case 'insecure-none':
      return 'In the chat service, set the webhook to the output `WebhookUrl`.';
  }
};

const secretCommands = (parley: string, what: string): string => `
\`\`\`sh
aws secretsmanager get-secret-value --query SecretString --output text --secret-id WEBHOOK-SECRET-ID
\`\`\`

If the chat service creates ${what} itself, store it in Parley instead:

\`\`\`sh
${parley} webhook-secret add --stage dev < secret.txt
\`\`\``;

/** Returns what must be the same on both sides, if the chat service's requests are refused. */
export const whyRefused = ({ kind }: Pick<Auth, 'kind'>): string => {
  switch (kind) {
    case 'pubsub-jwt':
      return 'the `audience` and `serviceAccountEmail` of the stage\nmust be those of the push subscription';
    case 'standard-webhooks':
      return 'the signing secret in the chat service\nmust be `whsec_` followed by the webhook secret of the stage';
    case 'shared-token':
      return 'the token in the chat service must be\nthe webhook secret of the stage, in the header of `webhook.auth`';
    case 'sns':
      return 'the subscription must belong to the topic\nin `webhook.auth`, without raw message delivery';
    case 'insecure-none':
      return 'the chat service did not send them';
  }
};
