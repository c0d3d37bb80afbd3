import { contactNumber, type SendingStage, templateRequest } from './sending-stage.ts';

export interface OutageOptions {
  readonly requests: number;
  readonly groups: number;
  readonly seconds: number;
  /** How far the clock moves at a time. */
  readonly stepSeconds: number;
}

export interface OutageReport {
  readonly requests: number;
  readonly acceptedDuringOutage: number;
  readonly accepted: number;
  readonly states: Readonly<Record<string, number>>;
  /** The groups whose messages did not go out all, each once and in their order: must be none. */
  readonly disordered: readonly string[];
  readonly drainedAfterSeconds: number;
}

/**
 * The chat service is out of reach for so long; then it is there again.
 *
 * @param outage makes it go away, and answers how it comes back
 */
export const outlast = async (
  stage: SendingStage,
  { requests, groups, seconds, stepSeconds }: OutageOptions,
  outage: () => Promise<() => Promise<void>>,
): Promise<OutageReport> => {
  const { cloud } = stage;
  const contacts = Array.from({ length: groups }, (_, index) => contactNumber(index));
  for (const contact of contacts) await stage.optIn(contact);
  const back = await outage();
  const all = Array.from({ length: requests }, (_, index) =>
    templateRequest(`outage-${String(index).padStart(5, '0')}`, contacts[index % groups] ?? ''),
  );
  await stage.enqueue(all);
  for (let passed = 0; passed < seconds; passed += stepSeconds) {
    await stage.settled();
    await cloud.clock.advance(stepSeconds * 1000);
  }
  await stage.settled();
  const sendsDuring = [...(await stage.sends()).values()];
  await back();
  const returned = cloud.clock.now().getTime();
  await stage.drain(60);

  const accepted = await stage.accepted();
  const states: Record<string, number> = {};
  for (const { state } of (await stage.sends()).values()) states[String(state)] = (states[String(state)] ?? 0) + 1;
  return {
    requests,
    acceptedDuringOutage: sendsDuring.filter(({ state }) => state === 'accepted').length,
    accepted: accepted.length,
    states,
    disordered: contacts.filter((contact) => {
      const asked = all.filter((request) => request.platformContactId === contact).map(({ requestId }) => requestId);
      return accepted.filter((requestId) => asked.includes(requestId)).join() !== asked.join();
    }),
    drainedAfterSeconds: Math.round((cloud.clock.now().getTime() - returned) / 1000),
  };
};
