import { setTimeout as pause } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { CREDENTIALS } from '../../../local/base/aws-environment.ts';
import { checkCases } from '../check-cases.ts';
import type { FidelityPart } from '../fidelity-part.ts';
import { startInstalled } from '../references/start-reference.ts';
import { observe, SQS_CONTRACT } from './contract.ts';
import { DIFFERENCES } from './differences.ts';

/** Checks an implementation of SQS against the contract that the local run's queues are tested with. */
export const sqsPart = (reference: 'ElasticMQ' | 'moto'): FidelityPart => ({
  name: `sqs-${reference.toLowerCase()}`,
  description: `${SQS_CONTRACT.length} cases of what SQS does, on ${reference}, in about five minutes`,
  async run(cacheFolder) {
    await using running = await startInstalled(reference, cacheFolder);
    const sqs = new SQSClient({ endpoint: running.url, region: 'us-east-1', credentials: CREDENTIALS });
    try {
      const implementation = { sqs, pass: (seconds: number) => pause(seconds * 1000) };
      return await checkCases(SQS_CONTRACT, (one) => observe(one, implementation), reference, DIFFERENCES);
    } finally {
      sqs.destroy();
    }
  },
});
