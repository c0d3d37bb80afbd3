import type { ReferenceName } from '../references/start-reference.ts';

/** A test of the adapters that fails on an implementation that differs from what AWS documents. */
export interface AdapterDifference {
  readonly reference: ReferenceName;
  /** The full name of the test. */
  readonly test: string;
  /** A part of its failure message. */
  readonly observed: string;
  /** What is different. */
  readonly reason: string;
  /** The page of the AWS documentation that the test relies on. */
  readonly source: string;
}

const SQS_GUIDE = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide';

const DEDUPLICATION =
  'the send queue, on the emulator drops a message whose deduplication id its group has had, even after the first is deleted';

export const ADAPTER_DIFFERENCES: readonly AdapterDifference[] = [
  {
    reference: 'ElasticMQ',
    test: DEDUPLICATION,
    observed: "expected [] to deeply equal [ 'b' ]",
    reason: 'It ignores DeduplicationScope, so it drops a message of another group with the same id.',
    source: `${SQS_GUIDE}/high-throughput-fifo.html`,
  },
  {
    reference: 'moto',
    test: DEDUPLICATION,
    observed: "expected [ 'a' ] to deeply equal [ 'b' ]",
    reason: 'It ignores DeduplicationScope, and it forgets the id of a deleted message.',
    source: `${SQS_GUIDE}/FIFO-queues-exactly-once-processing.html`,
  },
  {
    reference: 'moto',
    test: 'a dead-letter queue knows what SQS moved there from another queue than its own',
    observed: "expected [ [ 'invented', false ]",
    reason: 'It does not return DeadLetterQueueSourceArn.',
    source: 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html',
  },
];
