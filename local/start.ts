import { join } from 'node:path';
import { askedToEnd } from './asked-to-end.ts';
import { HELP, readCommandLine, type StartCommand } from './command-line.ts';
import { type LocalCloud, startLocal } from './local-cloud.ts';
import { messageOf } from './local-error.ts';
import { removeLocalState, writeLocalState } from './local-state.ts';
import { openBrowser } from './open-browser.ts';

const announce = (cloud: LocalCloud): void => {
  const { sandbox } = cloud;
  const exports = Object.entries(cloud.env).map(([name, value]) => `export ${name}=${value}`);
  const contact = '+5491150000001';
  const body = JSON.stringify({ requestId: 'hello-1', platformContactId: contact, messageText: 'Hello' });
  console.log(`Parley runs on this machine; Ctrl-C ends it.
${cloud.consoleUrl === undefined ? '' : `\n  console             ${cloud.consoleUrl}`}
  webhook             ${cloud.webhookUrl}
  management API      ${cloud.managementUrl}/v1
  chat service        ${cloud.chatServiceUrl}${sandbox ? ' (sandbox)' : ''}
  send queue          ${cloud.sendQueueUrl}
    dead letters      ${cloud.sendDeadLetterQueueUrl}
  inbound queue       ${cloud.inboundQueueUrl}
    dead letters      ${cloud.inboundDeadLetterQueueUrl}
  table               ${cloud.tableName}
  event bus           ${cloud.eventBusName}
  access token        ${cloud.accessTokenSecretId}
  functions' logs     ${cloud.logFolder}

Any AWS SDK or the AWS CLI talks to it with

${exports.join('\n')}
${
  sandbox
    ? `
A user writes, which opens the conversation window; a queued request then reaches the user:

curl -X POST ${sandbox.url}/sandbox/users/${encodeURIComponent(contact)}/messages -H 'content-type: application/json' -d '{"text":"Hi"}'
`
    : `
Put the service's access token into its secret, and have the service's events come to the webhook: a user's message opens
the window, and a queued request then goes out:

aws secretsmanager put-secret-value --secret-id ${cloud.accessTokenSecretId} --secret-string TOKEN
`
}aws sqs send-message --queue-url ${cloud.sendQueueUrl} --message-group-id ${contact} --message-deduplication-id hello-1 --message-body '${body}'${sandbox ? `\ncurl ${sandbox.url}/sandbox/outbox` : ''}`);
};

const run = async ({ stage, chatServiceUrl, port, verbose, open, stateFolder }: StartCommand): Promise<void> => {
  const asked = askedToEnd();
  const cloud = await startLocal({
    stage,
    chatServiceUrl,
    port,
    logFolder: join(stateFolder, 'logs'),
    echo: verbose ? process.stdout : undefined,
  });
  try {
    if (await writeLocalState(cloud, stateFolder)) {
      console.error(
        'Another run is up: local.json tells the addresses of this one now. PARLEY_STATE_FOLDER gives a run a file of its own.',
      );
    }
    announce(cloud);
    if (open && cloud.consoleUrl) openBrowser(cloud.consoleUrl, (message) => console.error(message));
    await asked;
  } finally {
    await removeLocalState(cloud, stateFolder);
    await cloud.close();
  }
};

try {
  const command = readCommandLine(process.argv.slice(2), process.env);
  if (command.help) console.log(HELP);
  else await run(command);
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
