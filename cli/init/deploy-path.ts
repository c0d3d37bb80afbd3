import type { StageSettingsInput } from '../../lib/settings/stage-settings.ts';
import { connectWebhook, whyRefused } from './connect-webhook.ts';

type Auth = StageSettingsInput['webhook']['auth'];

/**
 * Returns the numbered steps from an empty AWS account to a first real message.
 *
 * @param parley How the reader runs the command `parley`.
 * @param auths The kinds of authentication that the webhook can have: for several, the step has a part for each.
 */
export const deployPath = (parley: string, auths: readonly Auth[]): string =>
  [
    PLACEHOLDERS_STEP,
    ALARMS_STEP,
    DEPLOY_STEP,
    `Store the chat service's access token:\n\n${shell(`${parley} token set --stage dev < token.txt`)}`,
    connectStep(auths, parley),
    `Check the deployment. \`doctor\` suggests a fix for each problem. It also warns that the webhook has accepted no
request: the next step sends the first one:\n\n${shell(`${parley} doctor --stage dev`)}`,
    firstMessageStep(auths, parley),
    `Pin the stage's table, queues, and secrets. From then on, synth refuses a change that would lose one of them. Commit
\`parley.pins.json\`:

${shell(`${parley} pin --stage dev`)}`,
    'For `prod`, do the same with `prod` instead of `dev`.',
  ]
    .map((step, index) => `${index + 1}. ${indented(step, 3).trimStart()}`)
    .join('\n');

const shell = (commands: string): string => `\`\`\`sh\n${commands}\n\`\`\``;

/** Indents every line that is not empty. */
const indented = (text: string, spaces: number): string => text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces));

const PLACEHOLDERS_STEP = `In \`cdk.json\`, replace every placeholder in the stages \`dev\` and \`prod\`: the chat
service's base URL, its name for the platform, your business number, and, with \`pubsub-jwt\`, the audience and the
service account of the push subscription. In \`prod\`, synth refuses placeholders.`;

const ALARMS_STEP = `Sign in to AWS, and set the region, such as with \`export AWS_REGION=us-east-1\`. Create an SNS
topic in that region, confirm the email that AWS sends you, and set \`alarmTopicArn\` of the stages to the topic's ARN.
Without it, nobody is notified of alarms; for \`prod\`, synth and \`doctor\` warn:

${shell(`aws sns create-topic --name parley-alarms
aws sns subscribe --topic-arn TOPIC-ARN --protocol email --notification-endpoint oncall@bank.example`)}`;

const DEPLOY_STEP = `[Bootstrap](https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping.html) the account and region once, and
deploy:

${shell(`npx cdk bootstrap
npx cdk diff Parley-dev -c stage=dev
npx cdk deploy Parley-dev -c stage=dev`)}`;

const connectStep = (auths: readonly Auth[], parley: string): string => {
  const [only] = auths;
  if (auths.length === 1 && only) return connectWebhook(only, parley);
  const parts = auths.map((auth) => `- \`${auth.kind}\`:\n\n${indented(connectWebhook(auth, parley), 2)}`);
  return `Connect the webhook, by the kind of \`webhook.auth\`:\n\n${parts.join('\n')}`;
};

/** What the three commands print: `…` stands for what differs from run to run. A test runs them. */
const firstMessageStep = (
  auths: readonly Auth[],
  parley: string,
): string => `Write "Hi" to the business number from your phone, and wait for a few seconds. Then run these three commands, with
your phone's number:

${shell(`${parley} conversation +5491150000001 --stage dev
${parley} send +5491150000001 --text "It works." --wait --stage dev
${parley} conversation +5491150000001 --stage dev`)}

The first one shows your message and the open window, the second one sends a reply, and the third one shows that it
reached your phone. \`…\` stands for IDs and times:

\`\`\`text
+5491150000001 on …
  window: open until …
…  user      "Hi"
…: accepted
  decision: The user wrote at …, so the window is open.
+5491150000001 on …
…  business  "It works." (…, delivered)
…  user      "Hi"
\`\`\`

- If the first one finds no contact, run \`doctor\` again, which counts the webhook requests. If none arrived, the
  webhook is turned off in the chat service, or has another URL. If requests were refused, ${whyRefusedBy(auths)}
- If the second one says \`rejected\`, it also shows the chat service's reason, such as a number in the wrong format.
- If the third one does not say \`delivered\`, the chat service sends no statuses. Turn them on there.`;

const whyRefusedBy = (auths: readonly Auth[]): string => {
  const [only] = auths;
  if (auths.length === 1 && only) return indented(`${whyRefused(only)}.`, 2).trimStart();
  const reasons = auths.map((auth) => `- \`${auth.kind}\`: ${indented(whyRefused(auth), 2).trimStart()}.`);
  return `compare both sides:\n${indented(reasons.join('\n'), 2)}`;
};
