import { z } from 'zod';
import { contactNumber, type SendingStage, templateRequest } from './sending-stage.ts';

const faults = z.object({ answers: z.array(z.object({ count: z.int() })) });
const MANY = 1_000_000;
const NO_CREDIT = { status: 403, body: { error: { code: 101, message: 'Insufficient credit' } } };

export interface HeldAccountReport {
  /** How many calls reached the service in the ten minutes. */
  readonly calls: number;
  readonly acceptedWhileHeld: number;
  /** The groups whose messages did not go out all, or in another order. */
  readonly disordered: readonly string[];
  readonly drainedAfterSeconds: number;
}

/** Requests wait in many groups while the account has no credit, for ten simulated minutes; then it has credit again. */
export const holdAccount = async (
  stage: SendingStage,
  {
    requests,
    groups,
    stepSeconds,
  }: { readonly requests: number; readonly groups: number; readonly stepSeconds: number },
): Promise<HeldAccountReport> => {
  const { client, cloud } = stage;
  const contacts = Array.from({ length: groups }, (_, index) => contactNumber(index));
  for (const contact of contacts) await stage.optIn(contact);
  await client.control('POST', '/faults', { answers: { count: MANY, ...NO_CREDIT } });
  const all = Array.from({ length: requests }, (_, index) => {
    const contact = contacts[index % groups] ?? '';
    return templateRequest(`held-${String(index).padStart(5, '0')}`, contact);
  });
  await stage.enqueue(all);

  for (let seconds = 0; seconds < 600; seconds += stepSeconds) {
    await stage.settled();
    await cloud.clock.advance(stepSeconds * 1000);
  }
  await stage.settled();
  const calls = MANY - (faults.parse(await client.control('GET', '/faults')).answers[0]?.count ?? MANY);
  const acceptedWhileHeld = (await stage.accepted()).length;

  await client.control('DELETE', '/faults');
  const returned = cloud.clock.now().getTime();
  await stage.drain(60);
  const accepted = await stage.accepted();
  const disordered = contacts.filter((contact) => {
    const asked = all.filter((request) => request.platformContactId === contact).map(({ requestId }) => requestId);
    const sent = accepted.filter((requestId) => asked.includes(requestId));
    return sent.join() !== asked.join();
  });
  const drainedAfterSeconds = Math.round((cloud.clock.now().getTime() - returned) / 1000);
  return { calls, acceptedWhileHeld, disordered, drainedAfterSeconds };
};
