import { SQSClient } from '@aws-sdk/client-sqs';
import { CREDENTIALS, REGION } from '../../../local/base/aws-environment.ts';
import { createMovableClock } from '../../../local/base/clock.ts';
import { startSqs } from '../../../local/emulators/sqs/sqs.ts';
import { checkCases } from '../check-cases.ts';
import type { Difference } from '../compare.ts';
import type { FidelityPart, PartResult } from '../fidelity-part.ts';
import { observe } from '../sqs/contract.ts';
import { BATCH_FACTS } from './batch-facts.ts';
import { EVENT_BUS_FACTS } from './event-bus-facts.ts';
import { QUEUE_FACTS } from './queue-facts.ts';
import type { RecordedFact } from './recorded-fact.ts';
import { SCHEDULE_FACTS } from './schedule-facts.ts';

const LOCAL_RUN = 'the local run';

/** Where the local run does not do what was recorded. */
const RECORDED_DIFFERENCES: readonly Difference[] = [
  {
    reference: LOCAL_RUN,
    case: 'visibility: the timeout of a message can be changed after it has ended',
    observed: 'MessageNotInflight',
    reason: 'The documentation names this error for a message that is not in flight, and Parley must be ready for it.',
  },
];

/** Everything that was recorded, as far as Parley depends on it. SQS's facts need a queue service of their own. */
export const RECORDED_FACTS: readonly RecordedFact[] = [
  ...QUEUE_FACTS.map((fact) => ({ ...fact, observe: () => observeQueue(fact) })),
  ...BATCH_FACTS,
  ...EVENT_BUS_FACTS,
  ...SCHEDULE_FACTS,
];

/** Each fact has a clock of its own, which it moves. */
const observeQueue = async (fact: (typeof QUEUE_FACTS)[number]): Promise<unknown> => {
  const clock = createMovableClock();
  const emulator = await startSqs({ clock });
  const sqs = new SQSClient({ endpoint: emulator.url, region: REGION, credentials: CREDENTIALS });
  try {
    return await observe(fact, { sqs, pass: (seconds) => clock.advance(seconds * 1000) });
  } finally {
    sqs.destroy();
    await emulator.close();
  }
};

/** Compares the emulators of the local run with what was recorded on AWS. */
export const checkRecordedFacts = (): Promise<PartResult> =>
  checkCases(RECORDED_FACTS, (fact) => fact.observe(), LOCAL_RUN, RECORDED_DIFFERENCES);

export const recordedPart: FidelityPart = {
  name: 'recorded',
  description: `${RECORDED_FACTS.length} facts that LocalStack's tests recorded on AWS, on the local run`,
  source: 'what was recorded on AWS',
  run: checkRecordedFacts,
};
