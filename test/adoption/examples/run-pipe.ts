import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';

/** The properties of a pipe from a queue to a FIFO queue, as in a template. */
const pipeProperties = z.object({
  TargetParameters: z.object({
    InputTemplate: z.string(),
    SqsQueueParameters: z.object({ MessageGroupId: z.string(), MessageDeduplicationId: z.string() }),
  }),
});

export interface PipeQueues {
  readonly sqs: SQSClient;
  readonly sourceUrl: string;
  readonly targetUrl: string;
}

/**
 * Moves what a queue holds through a pipe, like EventBridge Pipes: a message's body is parsed if it is JSON, the input
 * template becomes the new body, and paths in the queue's parameters refer to the message as it was received. Returns the
 * new messages.
 *
 * Sources: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-input-transformation.html and
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-event-target.html, "Dynamic path parameters"
 */
export const runPipe = async (properties: unknown, { sqs, sourceUrl, targetUrl }: PipeQueues) => {
  const { InputTemplate, SqsQueueParameters } = pipeProperties.parse(properties).TargetParameters;
  const sent: { body: string; groupId: string; deduplicationId: string }[] = [];
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: sourceUrl, MaxNumberOfMessages: 10 }));
  for (const { MessageId, Body = '', ReceiptHandle } of Messages) {
    const event = { messageId: MessageId, body: JSON.parse(Body), eventSource: 'aws:sqs' };
    const body = fillTemplate(InputTemplate, event);
    const groupId = String(valueAt(SqsQueueParameters.MessageGroupId, event));
    const deduplicationId = String(valueAt(SqsQueueParameters.MessageDeduplicationId, event));
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: targetUrl,
        MessageBody: body,
        MessageGroupId: groupId,
        MessageDeduplicationId: deduplicationId,
      }),
    );
    await sqs.send(new DeleteMessageCommand({ QueueUrl: sourceUrl, ReceiptHandle }));
    sent.push({ body, groupId, deduplicationId });
  }
  return sent;
};

/** Replaces `<$.path>` with the value as JSON. Inside quotes, which the example does not use, it would be the raw text. */
const fillTemplate = (template: string, event: unknown): string =>
  template.replaceAll(/(")?<(\$[^>]*)>/g, (_, quote: string | undefined, path: string) => {
    if (quote !== undefined) throw new Error(`${path} is inside quotes.`);
    return JSON.stringify(valueAt(path, event));
  });

const valueAt = (path: string, event: unknown): unknown => {
  if (!path.startsWith('$.')) return path;
  const names = path.slice(2).split('.');
  const value = names.reduce((object: unknown, name) => Object(object)[name], event);
  if (value === undefined) throw new Error(`The event has nothing at ${path}.`);
  return value;
};
