import { waitFor } from '../../../local/demo/wait-for.ts';
import { LOCAL_CONCURRENCY } from '../../../local/functions/function-pool.ts';
import { contactNumber, disorderedContacts, type SendingStage, templateRequest } from './sending-stage.ts';

/** A short timeout, which passes in real time. */
export const SHORT_TIMEOUTS = { chatService: { answerTimeoutSeconds: 1 } };
const LATE_MS = 1_500;

const CALLS_PER_PROCESS = 10;
const FURTHER_CALLS_PER_PROCESS = 2;

/**
 * The most sends that may become uncertain: the calls in flight when the service fails, and two more per process
 * before the circuit breaker opens.
 */
export const MAX_UNCERTAIN = LOCAL_CONCURRENCY * (CALLS_PER_PROCESS + FURTHER_CALLS_PER_PROCESS);

export interface UnreachableReport {
  readonly requests: number;
  readonly acceptedBeforeOutage: number;
  readonly acceptedDuringOutage: number;
  /** Must be at most {@link MAX_UNCERTAIN}. */
  readonly uncertain: number;
  readonly states: Readonly<Record<string, number>>;
  readonly deadLetters: number;
  /** Contacts whose other messages were not all sent, each once and in order. Must be empty. */
  readonly disordered: readonly string[];
  readonly drainedAfterSeconds: number;
}

/**
 * Lets the service fail while a backlog is being sent: for the first half of the outage every answer is a 502,
 * and for the second half every answer comes too late. Then restores the service and waits until everything is sent.
 */
export const outlastUnreachable = async (
  stage: SendingStage,
  options: {
    readonly requests: number;
    readonly groups: number;
    readonly seconds: number;
    readonly stepSeconds: number;
  },
): Promise<UnreachableReport> => {
  const { requests, groups, seconds, stepSeconds } = options;
  const { client, cloud } = stage;
  const contacts = Array.from({ length: groups }, (_, index) => contactNumber(index));
  for (const contact of contacts) await stage.optIn(contact);
  const all = Array.from({ length: requests }, (_, index) =>
    templateRequest(`unreachable-${String(index).padStart(5, '0')}`, contacts[index % groups] ?? ''),
  );
  await stage.enqueue(all);
  await waitFor('a tenth is accepted', async () =>
    (await stage.accepted()).length >= requests / 10 ? true : undefined,
  );

  const fail = async (fault: Readonly<Record<string, unknown>>) => {
    await client.control('POST', '/faults', { answers: { count: 1_000_000, ...fault } });
    const acceptedBefore = (await stage.accepted()).length;
    for (let passed = 0; passed < seconds / 2; passed += stepSeconds) {
      await stage.idle();
      await cloud.clock.advance(stepSeconds * 1000);
    }
    await stage.idle();
    await client.control('DELETE', '/faults');
    return acceptedBefore;
  };
  const acceptedBeforeOutage = await fail({ status: 502 });
  await fail({ status: 504, delayMs: LATE_MS });
  const acceptedDuringOutage = (await stage.accepted()).length - acceptedBeforeOutage;

  const restoredMs = cloud.clock.now().getTime();
  await stage.drain(60);
  const sends = await stage.sends();
  const others = all.filter(({ requestId }) => sends.get(requestId)?.state !== 'uncertain');
  return {
    requests,
    acceptedBeforeOutage,
    acceptedDuringOutage,
    uncertain: requests - others.length,
    states: await stage.states(),
    deadLetters: await client.queueDepth(cloud.sendDeadLetterQueueUrl),
    disordered: disorderedContacts(contacts, others, await stage.accepted()),
    drainedAfterSeconds: Math.round((cloud.clock.now().getTime() - restoredMs) / 1000),
  };
};
