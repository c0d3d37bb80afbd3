import type { StageSettingsInput } from '../../lib/settings/stage-settings.ts';
import { deployPath } from './deploy-path.ts';
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
  that the token is in, such as \`${TOKEN_HEADER}\`. If you change the kind, step 5 below changes too; see
  docs/receiving.md.

## Deploy it

${deployPath('npx --no -- parley', [auth])}

\`.github/workflows/deploy.yml\` deploys and checks \`dev\` and then \`prod\` on GitHub, once you set the repository's
variable \`DEPLOY\` to \`true\`. It needs \`package-lock.json\`, and the GitHub environments and roles that
docs/delivery.md in the package \`@parleyhq/parley\` describes.
`;
