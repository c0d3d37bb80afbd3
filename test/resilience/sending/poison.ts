import { waitFor } from '../../../local/demo/wait-for.ts';
import { contactNumber, type SendingStage, templateRequest } from './sending-stage.ts';

export interface PoisonReport {
  readonly others: number;
  /** Must be all of them. */
  readonly acceptedOfOthers: number;
  /** The failing message and those behind it in its group. */
  readonly waitingBehindFailing: number;
  readonly malformedDeadLetters: number;
  readonly clockMoved: boolean;
}

/**
 * Queues a malformed message and one whose calls always fail at the head of two message groups among many. The clock
 * stands still, so a message that had to wait for a visibility timeout would still be waiting.
 */
export const poison = async (
  stage: SendingStage,
  { requests, groups }: { readonly requests: number; readonly groups: number },
): Promise<PoisonReport> => {
  const { client, cloud } = stage;
  const contacts = Array.from({ length: groups }, (_, index) => contactNumber(index));
  for (const contact of contacts) await stage.optIn(contact);
  const [malformed = '', failing = ''] = contacts;
  const faults = { contact: failing, count: 1_000_000, status: 503, headers: { 'Retry-After': '900' } };
  await client.control('POST', '/faults', { answers: faults });

  const all = Array.from({ length: requests - 1 }, (_, index) =>
    templateRequest(`poison-${index}`, contacts[(index + 1) % groups] ?? ''),
  );
  await client.putMessage(cloud.sendQueueUrl, '{"requestId":"broken"', { groupId: malformed, id: 'broken' });
  await stage.enqueue(all);
  const ofFailing = all.filter(({ platformContactId }) => platformContactId === failing);
  const others = all.length - ofFailing.length;

  const accepted = await waitFor('all others are accepted', async () => {
    const ids = await stage.accepted();
    return ids.length >= others ? ids : undefined;
  });
  await stage.idle();
  const failingIds = new Set(ofFailing.map(({ requestId }) => requestId));
  return {
    others,
    acceptedOfOthers: accepted.filter((requestId) => !failingIds.has(requestId)).length,
    waitingBehindFailing: await client.queueDepth(cloud.sendQueueUrl),
    malformedDeadLetters: await client.queueDepth(cloud.sendDeadLetterQueueUrl),
    clockMoved: cloud.clock.offsetMs > 0,
  };
};
