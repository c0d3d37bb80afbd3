import type { SendState } from '../components/tone.ts';
import {
  type ContactStatus,
  callApi,
  encodeText,
  inspectorPath,
  type Message,
  type SendSummary,
  stringField,
  type Trace,
  userPath,
} from '../state/api.ts';

const POLL_MS = 150;
const TIMEOUT_MS = 15_000;

/** Why an action of the tour failed, as a sentence for the user. */
export class ActionError extends Error {}

/** Calls the server. @throws ActionError if the call fails. */
export const call = async <Value>(...args: Parameters<typeof callApi>): Promise<Value> => {
  const result = await callApi<Value>(...args);
  if (!result.ok) throw new ActionError(result.error);
  return result.value;
};

// Each of these functions throws an ActionError if it has waited too long.

/** Waits until Parley has stored a user's message and the conversation window that it opens. */
export const untilStored = (messageId: string): Promise<true> =>
  until('Parley did not store the message within 15 seconds. Its timeline shows the webhook attempts.', () =>
    isStored(messageId),
  );

const fetchTrace = (messageId: string) => callApi<Trace>('GET', inspectorPath(`messages/${encodeText(messageId)}`));

const isStored = async (messageId: string): Promise<true | undefined> => {
  const trace = await fetchTrace(messageId);
  if (!trace.ok) return undefined;
  const { message, contact } = trace.value;
  return Date.parse(contact?.lastInboundAt ?? '') >= Date.parse(message?.createdAt ?? '') || undefined;
};

/** The states that Parley does not change by itself. */
const IS_FINAL: Readonly<Record<SendState, boolean>> = {
  queued: false,
  scheduled: false,
  claimed: false,
  waiting: false,
  accepted: true,
  refused: true,
  rejected: true,
  expired: true,
  uncertain: true,
  cancelled: true,
  failed: true,
};

const isFinal = (state: string): boolean => Object.entries(IS_FINAL).some(([name, is]) => is && name === state);

/** How a request should end, and with which refusal code. */
export interface Expected {
  readonly state: 'accepted' | 'refused';
  readonly code?: string;
}

/** Waits until Parley has decided about a request and sent it. */
export const untilSent = async (requestId: string, { state, code }: Expected): Promise<void> => {
  let latest: SendSummary | undefined;
  await poll(async () => {
    const path = inspectorPath(`sends?text=${encodeText(requestId)}`);
    const result = await callApi<{ sends: readonly SendSummary[] }>('GET', path);
    latest = result.ok ? result.value.sends.find((send) => send.requestId === requestId) : latest;
    return latest !== undefined && isFinal(latest.state);
  });
  if (latest === undefined) {
    throw new ActionError(`Parley did not take ${requestId} from the send queue within 15 seconds.`);
  }
  if (latest.state === state && (code === undefined || latest.code === code)) return;
  const why = latest.code ?? latest.outcomeDetails ?? latest.outcome ?? latest.decision;
  const is = isFinal(latest.state) ? 'is' : 'is still';
  throw new ActionError(`${requestId} ${is} ${latest.state}, not ${state}${why === undefined ? '' : `: ${why}`}.`);
};

/** Waits until what Parley has recorded about a user satisfies a condition. */
export const untilContact = (contact: string, isWanted: (status: ContactStatus) => boolean, failure: string) =>
  until(failure, async () => {
    const path = inspectorPath(`contacts/${encodeText(contact)}`);
    const result = await callApi<{ contact: ContactStatus | null }>('GET', path);
    return result.ok && result.value.contact !== null && isWanted(result.value.contact);
  });

/** Waits until the opt-out of a message has been confirmed. */
export const untilConfirmed = (messageId: string) =>
  until('Parley did not confirm the opt-out within 15 seconds.', async () => {
    const trace = await fetchTrace(messageId);
    return trace.ok && trace.value.confirmation?.state === 'accepted';
  });

/** Long enough for a turn whose silence is over. It is counted only from when the turn is on its queue. */
const TURN_MS = 3_000;

/** Waits until messages are in turns that have ended, and moves the clock for that. Returns the number of turns. */
export const untilTurnEnds = async (
  messageIds: readonly string[],
  moveClock: () => Promise<unknown>,
): Promise<number> => {
  await until('Parley did not publish the messages within 15 seconds.', async () =>
    (await eventsOf(messageIds)).every(({ length }) => length > 0),
  );
  for (let moves = 0; moves * TURN_MS < TIMEOUT_MS; moves += 1) {
    await moveClock();
    const turns = await poll(async () => turnsIn(await eventsOf(messageIds)), TURN_MS);
    if (turns !== undefined) return turns;
  }
  throw new ActionError('The turn did not end within 15 seconds.');
};

type BusEvents = NonNullable<Trace['busEvents']>;

/** Returns what is published about each message. */
const eventsOf = (messageIds: readonly string[]): Promise<readonly BusEvents[]> =>
  Promise.all(
    messageIds.map(async (messageId) => {
      const trace = await fetchTrace(messageId);
      return trace.ok ? (trace.value.busEvents ?? []) : [];
    }),
  );

/** Returns in how many turns the messages are; undefined until each turn has ended. */
const turnsIn = (events: readonly BusEvents[]): number | undefined => {
  const turns = events.map((published) => published.find(({ type }) => type === 'TurnEnded'));
  if (turns.includes(undefined)) return undefined;
  return new Set(turns.map((turn) => stringField(turn?.detail, 'id'))).size;
};

/** Waits until the latest message to a user has reached the device. Returns its id. */
export const untilDelivered = (contact: string) =>
  until('No message reached the device within 15 seconds.', async () => {
    const page = await callApi<{ messages: readonly Message[] }>('GET', `${userPath(contact)}/conversation?limit=50`);
    const latest = page.ok ? page.value.messages.findLast((message) => 'status' in message) : undefined;
    return latest !== undefined && 'status' in latest && latest.status !== 'accepted' ? latest.id : undefined;
  });

const until = async <Found>(failure: string, check: () => Promise<Found | undefined | false>): Promise<Found> => {
  const found = await poll(check);
  if (found === undefined) throw new ActionError(failure);
  return found;
};

/** Calls `check` until it returns a truthy value, and returns that; undefined after the timeout. */
const poll = async <Found>(
  check: () => Promise<Found | undefined | false>,
  timeoutMs = TIMEOUT_MS,
): Promise<Found | undefined> => {
  const end = performance.now() + timeoutMs;
  while (performance.now() < end) {
    const found = await check();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return undefined;
};
