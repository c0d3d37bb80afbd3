import { waitFor } from '../../../local/demo/wait-for.ts';
import { contactNumber, disorderedContacts, type SendingStage, templateRequest } from './sending-stage.ts';

export interface TableOutageReport {
  readonly requests: number;
  readonly acceptedBeforeOutage: number;
  /** Sends whose outcome could not be recorded before the function ended; 0 unless under load. */
  readonly uncertain: number;
  readonly states: Readonly<Record<string, number>>;
  /** Must be 0. */
  readonly deadLetters: number;
  /** Contacts whose other messages were not all sent, each once and in order. Must be empty. */
  readonly disordered: readonly string[];
  readonly drainedAfterSeconds: number;
}

/** Calls to the table time out in real time, and with many contacts some are always due again by then. */
const MAX_STEP_MS = 20_000;

/** Stops the table while a backlog is being sent and more is queued, restores it, and waits until everything is sent. */
export const outlastTable = async (
  stage: SendingStage,
  options: {
    readonly requests: number;
    readonly groups: number;
    readonly seconds: number;
    readonly stepSeconds: number;
    /** Whether sends are in flight when the table stops. Their outcomes may be lost, after the whole invocation. */
    readonly isUnderLoad: boolean;
  },
): Promise<TableOutageReport> => {
  const { requests, groups, seconds, stepSeconds, isUnderLoad } = options;
  const { client, cloud } = stage;
  const contacts = Array.from({ length: groups }, (_, index) => contactNumber(index));
  for (const contact of contacts) await stage.optIn(contact);
  const all = Array.from({ length: requests }, (_, index) =>
    templateRequest(`table-${String(index).padStart(5, '0')}`, contacts[index % groups] ?? ''),
  );
  const half = Math.ceil(requests / 2);
  await stage.enqueue(all.slice(0, half));
  await waitFor('some are accepted', async () => ((await stage.accepted()).length > 0 ? true : undefined));
  if (!isUnderLoad) await stage.idle();
  cloud.emulators.pauseTables(true);
  const acceptedBeforeOutage = (await stage.accepted()).length;
  try {
    await stage.enqueue(all.slice(half));
    for (let passed = 0; passed < seconds; passed += stepSeconds) {
      await stage.idle(MAX_STEP_MS);
      await cloud.clock.advance(stepSeconds * 1000);
    }
    await stage.idle(MAX_STEP_MS);
  } finally {
    cloud.emulators.pauseTables(false);
  }
  const restoredMs = cloud.clock.now().getTime();
  await stage.drain(60);
  const sends = await stage.sends();
  const others = all.filter(({ requestId }) => sends.get(requestId)?.state !== 'uncertain');
  return {
    requests,
    acceptedBeforeOutage,
    uncertain: requests - others.length,
    states: await stage.states(),
    deadLetters: await client.queueDepth(cloud.sendDeadLetterQueueUrl),
    disordered: disorderedContacts(contacts, others, await stage.accepted()),
    drainedAfterSeconds: Math.round((cloud.clock.now().getTime() - restoredMs) / 1000),
  };
};
