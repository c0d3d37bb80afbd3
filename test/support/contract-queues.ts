import { randomUUID } from 'node:crypto';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, inject } from 'vitest';
import { CREDENTIALS } from '../../local/base/aws-environment.ts';
import { type SqsOptions, startSqs } from '../../local/emulators/sqs/sqs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of an independent SQS that the tests of the queues run on. @default the local run's own */
    readonly queueServiceUrl: string;
  }
}

/** The queues of a test file, on the implementation that the test project selects. */
export interface ContractQueues {
  readonly client: SQSClient;
  /** Creates an empty queue. Returns its URL. */
  createQueue(attributes?: Readonly<Record<string, string>>): Promise<string>;
}

/**
 * Returns the queues for the tests of the SQS adapters. The same tests run on the local run's queues in the project
 * `unit`, and on an independent SQS in `fidelity`.
 *
 * @param settings the settings of the local run's queues
 */
export const contractQueues = (settings: SqsOptions = {}): ContractQueues => {
  let client: SQSClient | undefined;
  let emulator: Awaited<ReturnType<typeof startSqs>> | undefined;
  beforeAll(async () => {
    const given = inject('queueServiceUrl');
    if (given === undefined) emulator = await startSqs(settings);
    // A region that every implementation accepts.
    client = new SQSClient({ endpoint: given ?? emulator?.url, region: 'us-east-1', credentials: CREDENTIALS });
  });
  afterAll(async () => {
    client?.destroy();
    await emulator?.close();
  });
  const started = (): SQSClient => {
    if (client === undefined) throw new Error('The queues have not started yet.');
    return client;
  };
  return {
    get client() {
      return started();
    },
    async createQueue(attributes = {}) {
      const suffix = attributes.FifoQueue === 'true' ? '.fifo' : '';
      const command = new CreateQueueCommand({
        QueueName: `q-${randomUUID()}${suffix}`,
        Attributes: { ...attributes },
      });
      return (await started().send(command)).QueueUrl ?? '';
    },
  };
};
