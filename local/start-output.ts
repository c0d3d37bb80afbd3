import { COMMANDS } from '../sandbox/base/command-names.ts';
import type { LocalCloud } from './cloud/local-cloud.ts';

const CONTACT = '+5491150000001';
const REQUEST_ID = 'hello-1';

/**
 * Returns what `npm start` prints when the run is ready: its addresses, how to use them, and what to try first.
 *
 * @param notices Sentences about addresses that differ from the usual ones.
 */
export const readyMessage = (cloud: LocalCloud, notices: readonly string[]): string => {
  const rows: readonly (readonly [label: string, value: string | undefined])[] = [
    ['Console', cloud.consoleUrl],
    ['Webhook', cloud.webhookUrl],
    ['Management API', `${cloud.managementUrl}/v1`],
    ['Chat service', `${cloud.chatServiceUrl}${cloud.sandbox ? ' (sandbox)' : ''}`],
    ['Send queue', cloud.sendQueueUrl],
    ['  Dead letters', cloud.sendDeadLetterQueueUrl],
    ['Bulk queue', cloud.bulkSendQueueUrl],
    ['  Dead letters', cloud.bulkSendDeadLetterQueueUrl],
    ['  Of schedules', cloud.scheduleDeadLetterQueueUrl],
    ['Inbound queue', cloud.inboundQueueUrl],
    ['  Dead letters', cloud.inboundDeadLetterQueueUrl],
    ['Table', cloud.tableName],
    ['Event bus', cloud.eventBusName],
    ['  All events', cloud.eventsQueueUrl],
    ['Access token', cloud.accessTokenSecretId],
    ['Function logs', cloud.logFolder],
  ];
  const addresses = rows.flatMap(([label, value]) => (value === undefined ? [] : [`  ${label.padEnd(16)}${value}`]));
  const exports = Object.entries(cloud.env).map(([name, value]) => `export ${name}=${value}`);
  return `Parley is running locally. Press Ctrl-C to stop.

${addresses.join('\n')}
${notices.map((notice) => `\n${notice}\n`).join('')}
To use the AWS CLI or an AWS SDK with this run, set these variables in another shell:

${exports.join('\n')}

${firstSteps(cloud)}`;
};

const firstSteps = ({ sandbox, sendQueueUrl, eventsQueueUrl, accessTokenSecretId }: LocalCloud): string => {
  const body = JSON.stringify({ requestId: REQUEST_ID, platformContactId: CONTACT, messageText: 'Hello' });
  const sendMessage = `aws sqs send-message --queue-url ${sendQueueUrl} --message-group-id ${CONTACT} --message-deduplication-id ${REQUEST_ID} --message-body '${body}'`;
  const receiveEvents = `aws sqs receive-message --queue-url ${eventsQueueUrl} --max-number-of-messages 10`;
  if (!sandbox) {
    return `Next, store the chat service's access token in its secret, and configure the chat service to deliver events to the
webhook. When a user has written, which opens the conversation window, send a message:

aws secretsmanager put-secret-value --secret-id ${accessTokenSecretId} --secret-string TOKEN
${sendMessage}

Then read the events that your own systems would receive:

${receiveEvents}`;
  }
  return `What to do next, in another shell:

  1. Write as a user, which opens the conversation window:
     curl -X POST ${sandbox.url}/sandbox/users/${encodeURIComponent(CONTACT)}/messages -H 'content-type: application/json' -d '{"text":"Hi"}'
  2. Send that user a message, and wait for the outcome:
     ${COMMANDS.parley} send ${CONTACT} --text Hello --wait --local
     Your own systems put requests on the queue instead:
     ${sendMessage}
  3. See what the user received:
     curl ${sandbox.url}/sandbox/outbox
  4. Read the events that your own systems would receive:
     ${receiveEvents}
  5. Check the whole run:
     ${COMMANDS.parley} doctor --local

Or do all of this in the console: ${sandbox.url}/`;
};
