/** Returns the README of a new app: how to run, change, and deploy it. */
export const appReadme = (name: string): string => `# ${name}

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
npx parley send +5491150000001 --text Hello --wait --local
npx parley doctor --local
\`\`\`

The message is refused until the user has written: do so in the console.

## Change its settings

Edit \`context.stages\` in \`cdk.json\`. If a setting is invalid, \`npx cdk synth\` names it and what it expects. \`prod\` is a
production stage: its data is protected, and placeholders are rejected.

## Deploy it

1. Sign in to AWS, and [bootstrap](https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping.html) the account and region
   once.
2. Deploy a stage. Without \`-c stage\`, CDK uses \`dev\`:

   \`\`\`sh
   npx cdk diff -c stage=dev
   npx cdk deploy -c stage=dev
   \`\`\`
3. Store the chat service's access token:

   \`\`\`sh
   npx parley token set --stage dev < token.txt
   \`\`\`
4. Configure the output \`WebhookUrl\` as the webhook in the chat service.
5. Check the deployment:

   \`\`\`sh
   npx parley doctor --stage dev
   \`\`\`
6. Pin the stage's table, queues, and secrets. From then on, synth refuses a change that would lose one of them. Commit
   \`parley.pins.json\`:

   \`\`\`sh
   npx parley pin --stage dev
   \`\`\`

\`.github/workflows/deploy.yml\` does steps 2 and 5 on GitHub, for \`dev\` and then for \`prod\`, after you set the
repository's variable \`DEPLOY\` to \`true\`. It needs \`package-lock.json\`, and the GitHub environments and roles that
docs/delivery.md in the package \`parley\` describes.
`;
