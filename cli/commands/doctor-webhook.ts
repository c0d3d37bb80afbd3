import { PROBE_BODY } from '../../lambdas/domain/webhook-probe.ts';
import { explainError } from '../base/errors.ts';
import type { Target } from '../base/target.ts';
import { countMetricRequests, countSandboxRequests, type WebhookRequests } from '../operations/webhook-requests.ts';
import { checkProbe } from './doctor-probe.ts';
import type { Finding } from './finding.ts';

/**
 * Checks that the webhook rejects an unsigned request, that it accepts one with each of its secrets, and whether the chat
 * service's own requests are accepted. The rejection alone shows none of that: a webhook with a wrong secret rejects
 * everything.
 *
 * @param now the time of the stage
 */
export const checkWebhook = async (target: Target, now: string): Promise<readonly Finding[]> => {
  const isQueued = isBuffered(target);
  const unsigned = await (isQueued ? checkQueued(target) : checkUnsigned(target));
  if (unsigned.grade === 'failing') return [unsigned];
  // A webhook that accepts unsigned requests says nothing about secrets by accepting another.
  const probes = unsigned.grade === 'ok' ? [await checkProbe(target, now, isQueued)] : [];
  return [unsigned, ...probes, await checkAuthentic(target)];
};

const check = 'webhook';

const isBuffered = ({ addresses: { webhookIngress } }: Target): boolean => webhookIngress === 'buffered';

/**
 * Posts an unsigned request. Returns undefined if there is no response. A webhook that accepts unsigned requests would
 * quarantine any other body.
 */
const post = (webhookUrl: string): Promise<Response | undefined> =>
  fetch(webhookUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: PROBE_BODY,
    signal: AbortSignal.timeout(10_000),
  }).catch(() => undefined);

/**
 * Checks that API Gateway puts requests on the queue. It answers all of them alike: whether one is authentic is decided
 * later, and only the count of refused requests shows it.
 */
const checkQueued = async ({ addresses: { webhookUrl } }: Target): Promise<Finding> => {
  const response = await post(webhookUrl);
  if (response?.status === 200) {
    const message =
      `${webhookUrl} responds and puts requests on the inbound queue, where they are verified. So its answer does not ` +
      'show that it rejects unsigned requests.';
    return { check, grade: 'ok', message };
  }
  const outcome = response ? `returns ${response.status} instead of 200` : 'does not respond';
  const remedy =
    'Is the stack fully deployed? With 5xx, API Gateway may not put messages on the inbound queue: check the role of ' +
    'the API, the policy of the queue, and the key, if the stage has one. With 4xx, compare the URL with WebhookUrl.';
  return { check, grade: 'failing', message: `${webhookUrl} ${outcome}.`, remedy };
};

const checkUnsigned = async ({ addresses: { webhookUrl } }: Target): Promise<Finding> => {
  const response = await post(webhookUrl);
  if (response?.status === 401) {
    return { check, grade: 'ok', message: `${webhookUrl} responds and rejects unsigned requests.` };
  }
  if (response?.ok) {
    return {
      check,
      grade: 'warning',
      message: `${webhookUrl} accepts unsigned requests.`,
      remedy: 'Anyone can send events as any user. Set webhook.auth to match how your events are signed.',
    };
  }
  const outcome = response ? `returns ${response.status} instead of 401` : 'does not respond';
  const remedy = 'Is the stack fully deployed? See the access log and the log of the receive function.';
  return { check, grade: 'failing', message: `${webhookUrl} ${outcome}.`, remedy };
};

const DAY_MS = 24 * 60 * 60 * 1000;

const checkAuthentic = async (target: Target): Promise<Finding> => {
  if (isBuffered(target) && target.isLocal) {
    const message =
      'Webhook requests are verified after their answer, and the local run does not count the refused ones.';
    return { check, grade: 'ok', message };
  }
  const counted = await countRequests(target).catch((error: unknown) => explainError(error, target).message);
  if (typeof counted === 'string') {
    const message = `The accepted and refused webhook requests could not be counted. ${counted}`;
    return { check, grade: 'warning', message, remedy: 'Allow cloudwatch:GetMetricStatistics; see docs/operating.md.' };
  }
  if (counted === undefined || counted.accepted + counted.refused === 0) {
    const message =
      'No webhook request arrived in the last 24 hours, so it is unknown whether such requests are accepted.';
    return { check, grade: 'warning', message, remedy: 'Send a message as a user, then run doctor again.' };
  }
  const { accepted, refused } = counted;
  const message = `Webhook requests in the last 24 hours: ${accepted} accepted, ${refused} refused as unauthenticated.`;
  if (refused === 0) return { check, grade: 'ok', message };
  const own = target.isLocal ? '' : ' Each run of doctor adds one refused request.';
  return {
    check,
    // On AWS, the refused requests may all be those of doctor.
    grade: accepted === 0 && target.isLocal ? 'failing' : 'warning',
    message: `${message}${own}`,
    remedy:
      'See the reasons in the log of the receive function. If they are from the chat service, ' +
      'set webhook.auth and its secret to match how your events are signed: for example, kind shared-token with ' +
      'header auth-bm-token. See docs/provider.md.',
  };
};

/** Returns undefined if the local run sends to another chat service than the sandbox. */
const countRequests = async (target: Target): Promise<WebhookRequests | undefined> => {
  const { region, credentials, metricsNamespace: namespace, addresses } = target;
  const now = new Date();
  const start = new Date(now.getTime() - DAY_MS);
  if (namespace !== undefined) return countMetricRequests({ region, credentials, namespace }, start, now);
  return addresses.chatServiceUrl === undefined ? undefined : countSandboxRequests(addresses.chatServiceUrl, start);
};
