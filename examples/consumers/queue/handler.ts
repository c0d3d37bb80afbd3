/**
 * Handles Parley's events from a queue: writes a note to a customer's record for each event, once.
 *
 * An event can arrive twice, even days later after a redrive. Its `detail.id` is the same each time, so the note has this
 * ID, and the second write changes nothing. Do the same with whatever your handler does: make its effect conditional on
 * the event's ID. A separate list of handled IDs is weaker, because the function can fail between the two writes.
 */
import { ConditionalCheckFailedException, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { type ParleyEvent, parseParleyEvent } from '@parleyhq/parley/events';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';

const dynamodb = new DynamoDBClient();

export const handler = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
  const results = await Promise.allSettled(Records.map(async ({ body }) => handleEvent(parseParleyEvent(body))));
  const batchItemFailures = Records.flatMap(({ messageId }, index) => {
    const result = results[index];
    if (result?.status !== 'rejected') return [];
    console.error(`The message ${messageId} failed and will be delivered again.`, result.reason);
    return [{ itemIdentifier: messageId }];
  });
  return { batchItemFailures };
};

const handleEvent = async (event: ParleyEvent | undefined): Promise<void> => {
  // An event of a later version of Parley.
  if (event === undefined) return;
  await addNote(event, textOf(event));
};

const textOf = (event: ParleyEvent): string => {
  // The name narrows `detail` to the fields of the event.
  switch (event['detail-type']) {
    case 'MessageReceived':
      return `The customer wrote: ${event.detail.content?.text ?? '(no text)'}`;
    case 'SendUncertain':
      return `Check whether ${event.detail.requestId} was sent.`;
    default:
      return `${event['detail-type']} at ${event.detail.at}`;
  }
};

const addNote = async ({ detail }: ParleyEvent, text: string): Promise<void> => {
  try {
    await dynamodb.send(
      new PutItemCommand({
        TableName: process.env.NOTES_TABLE,
        Item: { eventId: { S: detail.id }, at: { S: detail.at }, text: { S: text } },
        ConditionExpression: 'attribute_not_exists(eventId)',
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    console.log(`The event ${detail.id} was handled before.`);
  }
};
