import type { StageSettingsInput } from '../../lib/settings/stage-settings.ts';
import { TOKEN_HEADER } from './init-options.ts';

type Auth = StageSettingsInput['webhook']['auth'];

/** Returns the README of a new app: how to run, change, and deploy it. */
export const appReadme = (name: string, auth: Auth): string => `# ${name}

This CDK app deploys Parley, your side of a business-messaging chat service. \`cdk.json\` contains the settings of its
stages, \`dev\` and \`prod\`, and \`bin/parley.ts\` creates a stage's stack. You need Node.js 24.

## Run it on your machine

\`\`\`sh
npm install
npm start -- --open
\`\`\`

This runs the stack of the stage \`dev\` on emulators, with a sandbox of the chat service, and opens its console. You need
neither an AWS account nor Docker. To act from the command line, use another shell:

\`\`\`sh
npx --no -- parley send +5491150000001 --text Hello --wait --local
npx --no -- parley doctor --local
\`\`\`

The message is refused until the user has written: do so in the console.

## Change its settings

Edit \`context.stages\` in \`cdk.json\`. If a setting is invalid, \`npx cdk synth\` names it and what it expects. \`prod\` is a
production stage: its data is protected, and placeholders are rejected.

docs/provider.md in the package \`@parleyhq/parley\` says which chat services Parley works with. Providers differ in these
settings:

- \`chatPlatform\`: the provider's name of the chat platform.
- \`chatService.contactCheckPath\`: the path of the contact check after \`/api/v1.0/\`. Its last segment contains the
  platform's name. If the path is wrong, \`parley doctor\` fails with HTTP 404.
- \`chatService.numberFormat\`: set it to \`"digits"\` if the provider expects numbers without a plus.
- \`webhook.auth\`: how the provider authenticates its webhook requests. With \`shared-token\`, \`header\` is the header
  that the token is in, such as \`${TOKEN_HEADER}\`. If you change the kind, step 4 below changes too; see
  docs/receiving.md.

## Deploy it

1. Sign in to AWS, and [bootstrap](https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping.html) the account and region
   once.
2. Deploy a stage. Without \`-c stage\`, CDK uses \`dev\`:

   \`\`\`sh
   npx cdk diff Parley-dev -c stage=dev
   npx cdk deploy Parley-dev -c stage=dev
   \`\`\`
3. Store the chat service's access token:

   \`\`\`sh
   npx --no -- parley token set --stage dev < token.txt
   \`\`\`
${webhookStep(auth)}
5. Check the deployment:

   \`\`\`sh
   npx --no -- parley doctor --stage dev
   \`\`\`
6. Pin the stage's table, queues, and secrets. From then on, synth refuses a change that would lose one of them. Commit
   \`parley.pins.json\`:

   \`\`\`sh
   npx --no -- parley pin --stage dev
   \`\`\`

\`.github/workflows/deploy.yml\` does steps 2 and 5 on GitHub, for \`dev\` and then for \`prod\`, after you set the
repository's variable \`DEPLOY\` to \`true\`. It needs \`package-lock.json\`, and the GitHub environments and roles that
docs/delivery.md in the package \`@parleyhq/parley\` describes.
`;

/** Returns the step that connects the chat service's webhook, which depends on how its requests are authenticated. */
const webhookStep = (auth: Auth): string => {
  switch (auth.kind) {
    case 'pubsub-jwt':
      return `4. Create a push subscription of the Google Cloud Pub/Sub topic that the chat service publishes to. Its endpoint is the
   output \`WebhookUrl\`, and its authentication uses the \`audience\` and \`serviceAccountEmail\` of the stage.`;
    case 'standard-webhooks':
      return `4. In the chat service, set the webhook to the output \`WebhookUrl\`, and its signing secret to \`whsec_\` followed by the
   value of this secret. Its ARN is the output \`WebhookSecretId\`:
${secretCommands('creates the signing secret')}`;
    case 'shared-token':
      return `4. In the chat service, set the webhook to the output \`WebhookUrl\`, and its token to the value of this secret. Its ARN
   is the output \`WebhookSecretId\`. Parley expects the token in the header \`${auth.header}\`, and answers any other
   request with 401:
${secretCommands('creates the token')}`;
    case 'sns':
      return `4. Subscribe the output \`WebhookUrl\` to the topic, without raw message delivery. Parley confirms the subscription:

   \`\`\`sh
   aws sns subscribe --topic-arn ${auth.topicArn} --protocol https --notification-endpoint WEBHOOK-URL
   \`\`\``;
    case 'insecure-none':
      return '4. In the chat service, set the webhook to the output `WebhookUrl`.';
  }
};

const secretCommands = (creates: string): string => `
   \`\`\`sh
   aws secretsmanager get-secret-value --query SecretString --output text --secret-id WEBHOOK-SECRET-ID
   \`\`\`

   If the chat service ${creates} itself, store it in Parley instead:

   \`\`\`sh
   npx --no -- parley webhook-secret add --stage dev < secret.txt
   \`\`\``;
