import { z } from 'zod';
import { contactNumber, disorderedContacts, type SendingStage, templateRequest } from './sending-stage.ts';

const faults = z.object({ answers: z.array(z.object({ count: z.int() })) });
const MANY = 1_000_000;
const NO_CREDIT = { status: 403, body: { error: { code: 101, message: 'Insufficient credit' } } };
const ON_HOLD_SECONDS = 600;

export interface AccountOnHoldReport {
  /** Calls that reached the service in the ten minutes. */
  readonly calls: number;
  readonly acceptedWhileOnHold: number;
  /** Contacts whose messages were not all sent in order. */
  readonly disordered: readonly string[];
  readonly drainedAfterSeconds: number;
}

/** Lets requests wait in many message groups while the account has no credit for ten minutes, then restores it. */
export const holdAccount = async (
  stage: SendingStage,
  {
    requests,
    groups,
    stepSeconds,
  }: { readonly requests: number; readonly groups: number; readonly stepSeconds: number },
): Promise<AccountOnHoldReport> => {
  const { client, cloud } = stage;
  const contacts = Array.from({ length: groups }, (_, index) => contactNumber(index));
  for (const contact of contacts) await stage.optIn(contact);
  await client.control('POST', '/faults', { answers: { count: MANY, ...NO_CREDIT } });
  const all = Array.from({ length: requests }, (_, index) =>
    templateRequest(`on-hold-${String(index).padStart(5, '0')}`, contacts[index % groups] ?? ''),
  );
  await stage.enqueue(all);

  for (let seconds = 0; seconds < ON_HOLD_SECONDS; seconds += stepSeconds) {
    await stage.idle();
    await cloud.clock.advance(stepSeconds * 1000);
  }
  await stage.idle();
  const calls = MANY - (faults.parse(await client.control('GET', '/faults')).answers[0]?.count ?? MANY);
  const acceptedWhileOnHold = (await stage.accepted()).length;

  await client.control('DELETE', '/faults');
  const restoredMs = cloud.clock.now().getTime();
  await stage.drain(60);
  const disordered = disorderedContacts(contacts, all, await stage.accepted());
  const drainedAfterSeconds = Math.round((cloud.clock.now().getTime() - restoredMs) / 1000);
  return { calls, acceptedWhileOnHold, disordered, drainedAfterSeconds };
};
