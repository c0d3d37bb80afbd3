import { sendListResponse } from '../../lambdas/manage/api/send-lists.ts';
import { type CommandFor, count, quote } from '../base/command.ts';
import { describeTime } from '../base/human-time.ts';
import type { ManagementClient } from '../operations/management-client.ts';
import { countSends, describeCounts, totalOf } from '../operations/send-counts.ts';
import { UNSUCCESSFUL_STATES } from '../operations/send-progress.ts';
import type { Finding } from './finding.ts';

/** Checks for uncertain sends, for scheduled sends that are overdue, and for a spike of sends that did not arrive. */
export const checkSends = async (
  api: ManagementClient,
  commandFor: CommandFor,
  now: string,
): Promise<readonly Finding[]> =>
  (
    await Promise.all([
      checkUncertainSends(api, commandFor, now),
      checkOverdueSends(api, commandFor, now),
      checkUnsuccessful(api, commandFor, now),
    ])
  ).flat();

const check = 'sends';

const PAGE_SIZE = 100;

const checkUncertainSends = async (api: ManagementClient, commandFor: CommandFor, now: string): Promise<Finding[]> => {
  const { sends, cursor } = await listState(api, 'uncertain');
  if (sends.length === 0) return [{ check, grade: 'ok', message: 'No sends are uncertain.' }];
  return [
    {
      check,
      grade: 'warning',
      message: `Uncertain sends: ${atLeast(sends.length, cursor)}, the oldest since ${describeTime(sends[0]?.uncertainAt ?? '', now)}.`,
      remedy:
        `See ${commandFor('parley sends list --state uncertain')}. ` +
        "Look for the messages in the chat service's console, then resolve them.",
    },
  ];
};

/** EventBridge Scheduler is a minute late at most, and the queue can be busy. */
const OVERDUE_MS = 15 * 60 * 1000;

const checkOverdueSends = async (api: ManagementClient, commandFor: CommandFor, now: string): Promise<Finding[]> => {
  const { sends, cursor } = await listState(api, 'scheduled');
  const before = minus(now, OVERDUE_MS);
  const overdue = sends.filter(({ sendAt }) => sendAt !== undefined && sendAt < before);
  const [first] = overdue;
  if (first === undefined) return [{ check, grade: 'ok', message: 'No scheduled sends are overdue.' }];
  return [
    {
      check,
      grade: 'failing',
      message:
        `Overdue scheduled sends: ${atLeast(overdue.length, overdue.length === PAGE_SIZE ? cursor : undefined)}. ` +
        `The oldest, ${first.requestId}, was due at ${describeTime(first.sendAt ?? '', now)}.`,
      remedy:
        `See ${commandFor('parley sends list --state scheduled')} and ` +
        `${commandFor('parley dead-letters list schedules')}. Fix the cause of the dead letters, then redrive them. ` +
        `Queue a send without a dead letter with ${commandFor(`parley sends requeue ${quote(first.requestId)}`)}.`,
    },
  ];
};

const HOUR_MS = 60 * 60 * 1000;
/** A spike is at least this many in an hour, and at least this multiple of the average of the 23 hours before. */
const MIN_SPIKE = 20;
const SPIKE_FACTOR = 5;

const checkUnsuccessful = async (api: ManagementClient, commandFor: CommandFor, now: string): Promise<Finding[]> => {
  const since = minus(now, HOUR_MS);
  const countSince = async (time: string) => {
    const counts = await Promise.all(UNSUCCESSFUL_STATES.map((state) => countSends(api, { state, since: time })));
    return counts.flat().toSorted((one, other) => other.count - one.count);
  };
  const [lastHour, lastDay] = await Promise.all([countSince(since), countSince(minus(now, 24 * HOUR_MS))]);
  const inHour = totalOf(lastHour);
  const before = (totalOf(lastDay) - inHour) / 23;
  const [most] = lastHour;
  if (most === undefined || inHour < MIN_SPIKE || inHour < SPIKE_FACTOR * before) {
    const message = `Refused, rejected, or failed: ${count(inHour, 'send')} in the last hour, ${totalOf(lastDay)} in the last day.`;
    return [{ check, grade: 'ok', message }];
  }
  const code = most.code === undefined ? '' : ` --code ${most.code}`;
  return [
    {
      check,
      grade: 'warning',
      message:
        `More sends than usual were refused or rejected, or failed: ${inHour} in the last hour, ` +
        `${before.toFixed(1)} per hour in the day before. Last hour: ${describeCounts(lastHour)}.`,
      remedy: `See ${commandFor(`parley sends list --state ${most.state}${code} --since ${since}`)}.`,
    },
  ];
};

const listState = async (api: ManagementClient, state: string) =>
  sendListResponse.parse(await api('GET', `/v1/sends?state=${state}&limit=${PAGE_SIZE}`));

const atLeast = (number: number, cursor: string | undefined): string =>
  cursor === undefined ? String(number) : `${number} or more`;

const minus = (instant: string, ms: number): string => new Date(Date.parse(instant) - ms).toISOString();
