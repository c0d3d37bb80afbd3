import type { ContractCase } from '../contract-case.ts';
import type { ContractQueue, SqsImplementation } from './contract-queue.ts';

/** The tools of a case. */
export interface ContractTools extends SqsImplementation {
  /** Creates a queue with attributes. */
  readonly queue: (attributes?: Record<string, string>) => Promise<ContractQueue>;
}

/** One thing that SQS does. */
export type SqsCase = ContractCase<ContractTools>;

const GUIDE = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide';
const API = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference';

/** The pages of the AWS documentation that the cases cite. */
export const SOURCES = {
  attributes: `${GUIDE}/sqs-message-metadata.html`,
  cancelMoveTask: `${API}/API_CancelMessageMoveTask.html`,
  changeVisibility: `${API}/API_ChangeMessageVisibility.html`,
  createQueue: `${API}/API_CreateQueue.html`,
  deadLetterQueues: `${GUIDE}/sqs-dead-letter-queues.html`,
  deadLetterRetention: `${GUIDE}/setting-up-dead-letter-queue-retention.html`,
  delay: `${GUIDE}/sqs-delay-queues.html`,
  deleteMessage: `${API}/API_DeleteMessage.html`,
  deleteBatch: `${API}/API_DeleteMessageBatch.html`,
  changeVisibilityBatch: `${API}/API_ChangeMessageVisibilityBatch.html`,
  exactlyOnce: `${GUIDE}/FIFO-queues-exactly-once-processing.html`,
  fairQueues: `${GUIDE}/sqs-fair-queues.html`,
  fifoLogic: `${GUIDE}/FIFO-queues-understanding-logic.html`,
  getQueueAttributes: `${API}/API_GetQueueAttributes.html`,
  getQueueUrl: `${API}/API_GetQueueUrl.html`,
  highThroughput: `${GUIDE}/high-throughput-fifo.html`,
  listMoveTasks: `${API}/API_ListMessageMoveTasks.html`,
  longPolling: `${GUIDE}/sqs-short-and-long-polling.html`,
  messageQuotas: `${GUIDE}/quotas-messages.html`,
  purge: `${API}/API_PurgeQueue.html`,
  receiptHandleErrors: 'https://repost.aws/knowledge-center/sqs-receipt-handle-error',
  receiveMessage: `${API}/API_ReceiveMessage.html`,
  redrive: `${GUIDE}/sqs-configure-dead-letter-queue-redrive`,
  redriveTroubleshooting: `${GUIDE}/troubleshooting-dlq-redrive.html`,
  sendBatch: `${API}/API_SendMessageBatch.html`,
  sendMessage: `${API}/API_SendMessage.html`,
  startMoveTask: `${API}/API_StartMessageMoveTask.html`,
  visibility: `${GUIDE}/sqs-visibility-timeout.html`,
} as const;

/** Attributes of queues that several cases use. */
export const FIFO = { FifoQueue: 'true' };
export const redriveTo = (deadLetterTargetArn: string, maxReceiveCount: number): Record<string, string> => ({
  RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }),
});
