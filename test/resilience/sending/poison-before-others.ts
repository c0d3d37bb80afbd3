import { sendKey } from '../../../lambdas/table/keys.ts';
import { plantItem } from '../../support/checked-cloud.ts';
import { contactNumber, disorderedContacts, type SendingStage, templateRequest } from './sending-stage.ts';

export interface PoisonBeforeOthersReport {
  readonly others: number;
  readonly states: Readonly<Record<string, number>>;
  /** Must contain only the poison request. */
  readonly deadLetterReasons: readonly string[];
  /** How long the others waited behind the poison request. */
  readonly sentAfterHours: number;
  readonly isOrdered: boolean;
}

const STEP_SECONDS = 900;
const MAX_STEPS = 200;

/** Queues a request that cannot be processed, because its item is damaged, before others of the same contact. */
export const poisonBeforeOthers = async (
  stage: SendingStage,
  { requests }: { readonly requests: number },
): Promise<PoisonBeforeOthersReport> => {
  const { client, cloud } = stage;
  const contact = contactNumber(0);
  await stage.optIn(contact);
  const poison = templateRequest('poison', contact);
  const damaged = { ...sendKey(poison.requestId), state: 'claimed', body: JSON.stringify(poison), attempts: 'many' };
  await plantItem(cloud, damaged);
  const others = Array.from({ length: requests }, (_, index) => templateRequest(`behind-${index}`, contact));
  const startMs = cloud.clock.now().getTime();
  await stage.enqueue([poison, ...others]);

  let steps = 0;
  for (; steps < MAX_STEPS && (await client.queueDepth(cloud.sendDeadLetterQueueUrl)) === 0; steps += 1) {
    await stage.idle();
    await cloud.clock.advance(STEP_SECONDS * 1000);
  }
  const sentAfterHours = (cloud.clock.now().getTime() - startMs) / 3_600_000;
  await stage.drain(60);
  const states = await stage.states();
  const deadLetters = await client.takeMessages(cloud.sendDeadLetterQueueUrl);
  return {
    others: requests,
    states,
    deadLetterReasons: deadLetters.map(({ reason = '' }) => reason),
    sentAfterHours,
    isOrdered: disorderedContacts([contact], others, await stage.accepted()).length === 0,
  };
};
