import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.ts';
import { contactNumber, disorderedContacts, RULE, type SendingStage, templateRequest } from './sending-stage.ts';

export interface OutageOptions {
  readonly requests: number;
  readonly groups: number;
  readonly seconds: number;
  /** How far the clock advances at a time. */
  readonly stepSeconds: number;
}

export interface OutageReport {
  readonly requests: number;
  readonly acceptedDuringOutage: number;
  readonly accepted: number;
  readonly states: Readonly<Record<string, number>>;
  /** Contacts whose messages were not all sent, each once and in order. Must be empty. */
  readonly disordered: readonly string[];
  readonly drainedAfterSeconds: number;
}

/** Makes the chat service unavailable. Returns how to restore it. */
export type Outage = () => Promise<() => Promise<void>>;

/** Queues requests while the chat service is unavailable, restores it, and waits until everything is sent. */
export const outlast = async (
  stage: SendingStage,
  { requests, groups, seconds, stepSeconds }: OutageOptions,
  outage: Outage,
): Promise<OutageReport> => {
  const { cloud } = stage;
  const contacts = Array.from({ length: groups }, (_, index) => contactNumber(index));
  for (const contact of contacts) await stage.optIn(contact);
  const restore = await outage();
  const all = Array.from({ length: requests }, (_, index) =>
    templateRequest(`outage-${String(index).padStart(5, '0')}`, contacts[index % groups] ?? ''),
  );
  await stage.enqueue(all);
  for (let passed = 0; passed < seconds; passed += stepSeconds) {
    await stage.idle();
    await cloud.clock.advance(stepSeconds * 1000);
  }
  await stage.idle();
  const { accepted: acceptedDuringOutage = 0 } = await stage.states();
  await restore();
  const restoredMs = cloud.clock.now().getTime();
  await stage.drain(60);

  const accepted = await stage.accepted();
  return {
    requests,
    acceptedDuringOutage,
    accepted: accepted.length,
    states: await stage.states(),
    disordered: disorderedContacts(contacts, all, accepted),
    drainedAfterSeconds: Math.round((cloud.clock.now().getTime() - restoredMs) / 1000),
  };
};

/** The service answers every call with 503. */
export const answersUnavailable =
  (stage: SendingStage): Outage =>
  async () => {
    await stage.client.control('POST', '/faults', { answers: { count: 1_000_000, status: 503 } });
    return async () => {
      await stage.client.control('DELETE', '/faults');
    };
  };

/** Nothing listens at the service's address. The caller closes the `replacements` that are started there. */
export const refusesConnections =
  (stage: SendingStage, replacements: Sandbox[]): Outage =>
  async () => {
    const { cloud, client } = stage;
    await cloud.sandbox?.close();
    return async () => {
      const secret = cloud.emulators.secrets.find(cloud.accessTokenSecretId);
      const sandbox = await startSandbox({
        port: Number(new URL(cloud.chatServiceUrl).port),
        accessTokens: [secret?.versions[0]?.secretString ?? ''],
        chatPlatform: 'chat',
        chatChannelNumbers: ['+5491100000000'],
        clock: cloud.clock,
        credit: 1_000_000,
      });
      replacements.push(sandbox);
      await client.putRule(RULE, { text: 'Parcel ${n}', category: 'shipping-status' });
    };
  };
