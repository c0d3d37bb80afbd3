/**
 * Queues one send request.
 *
 *   node examples/producers/send.ts shipment-1042 +5491150000001 "Your order is on its way."
 *
 * Needs SEND_QUEUE_URL, and in an account `sqs:SendMessage` on the queue. See examples/README.md.
 *
 * The request ID is derived from what the message is about, so running this twice sends one message. SQS drops the
 * second request for five minutes, and Parley drops it after that. A request that reuses an ID with another body goes to
 * the dead-letter queue.
 */
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { messageGroupId } from '../message-group-id.ts';

const [requestId, platformContactId, messageText] = process.argv.slice(2);
const { SEND_QUEUE_URL } = process.env;
if (!SEND_QUEUE_URL || !requestId || !platformContactId || !messageText) {
  throw new Error('Usage: SEND_QUEUE_URL=… node send.ts REQUEST_ID CONTACT TEXT');
}

// The SDK repeats a call that fails or times out. The deduplication ID makes that safe.
const sqs = new SQSClient({ maxAttempts: 5 });
const { MessageId } = await sqs.send(
  new SendMessageCommand({
    QueueUrl: SEND_QUEUE_URL,
    MessageGroupId: messageGroupId(platformContactId),
    MessageDeduplicationId: requestId,
    MessageBody: JSON.stringify({
      requestId,
      platformContactId,
      messageText,
      // Sent instead if the user has not written for 24 hours. The chat service must have approved it.
      ruleNameOrId: 'order_shipped',
      reason: 'shipping-status',
    }),
  }),
);
console.log(`${requestId} is queued as ${MessageId}.`);
