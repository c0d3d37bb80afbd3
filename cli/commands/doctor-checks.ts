import type { z } from 'zod';
import { stageResponse } from '../../lambdas/manage/api/stage.ts';
import { isPlaceholderPlatform } from '../../lib/settings/placeholders.ts';
import type { CommandFor } from '../base/command.ts';
import { explainError } from '../base/errors.ts';
import { describeTime } from '../base/human-time.ts';
import { stageTime } from '../base/stage-time.ts';
import type { Target } from '../base/target.ts';
import { type ManagementClient, ManagementError } from '../operations/management-client.ts';
import { checkAlarms } from './doctor-alarms.ts';
import { checkChannels } from './doctor-channels.ts';
import { checkExisting } from './doctor-existing.ts';
import { checkLimits } from './doctor-limits.ts';
import { checkQuarantine } from './doctor-quarantine.ts';
import { checkDeadLetters, checkLeftoverQueues, checkQueues } from './doctor-queues.ts';
import { checkSends } from './doctor-sends.ts';
import { checkAccessToken, checkTokenExpiry } from './doctor-token.ts';
import { checkWebhook } from './doctor-webhook.ts';
import type { Finding } from './finding.ts';

type Stage = z.output<typeof stageResponse>;

/** Runs every check. An error in one check becomes a finding and does not stop the others. */
export const runChecks = async (
  target: Target,
  api: ManagementClient,
  commandFor: CommandFor,
): Promise<readonly Finding[]> => {
  const guarded = async (
    check: Finding['check'],
    run: () => Promise<readonly Finding[]>,
  ): Promise<readonly Finding[]> => {
    try {
      return await run();
    } catch (error) {
      // Every other check would fail too, and name a cause of its own.
      if (target.isLocal && error instanceof ManagementError && error.code === 'UNREACHABLE') throw error;
      return [{ check, grade: 'failing', message: explainError(error, target).message }];
    }
  };
  const now = await stageTime({ target: async () => target });
  const responses: Stage[] = [];
  const first = await guarded('management API', async () => {
    const stage = stageResponse.parse(await api('GET', '/v1/stage'));
    responses.push(stage);
    return [
      { check: 'management API', grade: 'ok', message: 'The management API responds and accepts your credentials.' },
      checkSettings(stage, target),
      checkSending(stage, commandFor, now),
      checkCircuitBreaker(stage, commandFor, now),
    ];
  });
  const [stage] = responses;
  const others = await Promise.all([
    stage ? guarded('token', () => checkAccessToken(target, stage, api, commandFor)) : [],
    stage ? checkTokenExpiry(stage, commandFor, now) : [],
    guarded('webhook', () => checkWebhook(target, now)),
    guarded('webhook', () => checkQuarantine(target, commandFor, now)),
    stage ? guarded('channels', () => checkChannels(api, commandFor, now)) : [],
    guarded('limits', () => checkLimits(target)),
    guarded('existing resources', () => checkExisting(target)),
    guarded('queues', () => checkDeadLetters(target, api, commandFor)),
    guarded('queues', () => checkQueues(target, commandFor)),
    guarded('queues', () => checkLeftoverQueues(target, commandFor)),
    stage ? guarded('sends', () => checkSends(api, commandFor, now)) : [],
    guarded('alarms', () => checkAlarms(target, commandFor, now)),
  ]);
  return [first, ...others].flat();
};

/** Checks where messages go. */
export const checkSettings = (
  { chatServiceUrl, chatPlatform, chatChannelNumber }: Stage,
  { isLocal }: Pick<Target, 'isLocal'>,
): Finding => {
  const check = 'settings';
  const { hostname, protocol } = new URL(chatServiceUrl);
  const placeholders = [
    ...(hostname.endsWith('.example') ? [`chatService.baseUrl is the placeholder ${chatServiceUrl}.`] : []),
    ...(isPlaceholderPlatform(chatPlatform) && !isLocal ? [`chatPlatform is the placeholder ${chatPlatform}.`] : []),
  ];
  if (placeholders.length > 0) {
    return {
      check,
      grade: 'failing',
      message: placeholders.join(' '),
      remedy: "In the stage's settings, replace each placeholder with the real value, and deploy again.",
    };
  }
  const message = `Messages go to ${chatServiceUrl} as ${chatChannelNumber} on ${chatPlatform}.`;
  if (protocol === 'https:' || isLocal) return { check, grade: 'ok', message };
  const remedy = 'The access token is sent unencrypted. Set chatService.baseUrl to an https URL.';
  return { check, grade: 'failing', message, remedy };
};

/** Leaves out the note of a stop, which is free text. */
const checkSending = ({ sending }: Stage, commandFor: CommandFor, now: string): Finding => {
  const check = 'sending';
  if (sending.state === 'running') return { check, grade: 'ok', message: 'No operator has stopped sending.' };
  return {
    check,
    grade: 'warning',
    message: `An operator stopped sending at ${describeTime(sending.stoppedAt ?? '', now)}, and sends are waiting.`,
    remedy: `See why: ${commandFor('parley sending status')}. To resume: ${commandFor('parley sending resume')}`,
  };
};

const checkCircuitBreaker = ({ circuitBreaker }: Stage, commandFor: CommandFor, now: string): Finding => {
  const check = 'circuit breaker';
  const { state, reason, why, openedAt, nextProbeAt } = circuitBreaker;
  if (state === 'closed')
    return { check, grade: 'ok', message: 'The circuit breaker is closed: sends are not blocked.' };
  return {
    check,
    grade: 'failing',
    message:
      `The circuit breaker has been open since ${describeTime(openedAt ?? '', now)}, and sends are waiting. ${why}` +
      `${nextProbeAt === undefined ? '' : ` The next probe is due at ${describeTime(nextProbeAt, now)}.`}`,
    remedy:
      `${remedyOf(reason, commandFor)} Then make the next probe due with ${commandFor('parley sending retry-now')}. ` +
      'Sending resumes after the first probe that succeeds.',
  };
};

const remedyOf = (reason: Stage['circuitBreaker']['reason'], commandFor: CommandFor): string => {
  if (reason === 'no-credit') return "Add credit to the chat service's account.";
  if (reason === 'token') return `Set a valid token with ${commandFor('parley token set')}.`;
  return 'Find out why the chat service cannot be reached; see CircuitBreakerOpen in docs/runbook.md.';
};
