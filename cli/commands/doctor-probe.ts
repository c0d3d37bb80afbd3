import { count } from '../base/command.ts';
import { explainError } from '../base/errors.ts';
import type { Target } from '../base/target.ts';
import { probeWebhook } from '../operations/probe-webhook.ts';
import { countMetricRequests, countProbes } from '../operations/webhook-requests.ts';
import { fingerprintOf, readSecrets } from '../operations/webhook-secrets.ts';
import type { Finding } from './finding.ts';

const check = 'webhook';

/**
 * Checks from the outside that the webhook accepts each of its secrets, with a request that Parley does not store.
 *
 * @param now the time of the stage
 * @param isBuffered whether API Gateway answers, before the request is verified
 */
export const checkProbe = async (target: Target, now: string, isBuffered = false): Promise<Finding> => {
  const { webhookUrl, webhookSecretId, webhookSecretKind: kind, webhookAuthHeader: header } = target.addresses;
  if (webhookSecretId === undefined || kind === undefined || header === undefined) {
    if (isBuffered && (await acceptsUnsigned(target))) return UNSIGNED_ACCEPTED;
    const message =
      'No test request was sent: the webhook has no secret. Only Pub/Sub or Amazon SNS can sign its requests, or the ' +
      'webhook does not verify requests (insecure-none).';
    return { check, grade: 'ok', message };
  }
  const read = await readSecrets(target.secretsManager, webhookSecretId).catch((error: unknown) => ({ error }));
  if ('error' in read) return unreadable(read.error, target);
  const { lines } = read;
  const statuses = await Promise.all(lines.map((line) => probeWebhook(line, { webhookUrl, kind, header, now })));
  const refused = lines.flatMap((line, index) =>
    statuses[index] === 200 ? [] : [`${fingerprintOf(line)} (${statuses[index] ?? 'no response'})`],
  );
  if (isBuffered && refused.length > 0) return notQueued(refused);
  if (isBuffered && lines.length > 0) return queuedProbes(target, lines.length);
  if (refused.length > 0 || lines.length === 0) {
    const rejected = lines.length === 1 ? 'its secret' : `${refused.length} of its ${lines.length} secrets`;
    const message = `The webhook rejects ${rejected}: ${refused.join(', ')}.`;
    return {
      check,
      grade: 'failing',
      message: lines.length === 0 ? 'The webhook secret is empty, so every request is refused.' : message,
      remedy:
        'See the log of the receive function. It uses none of the secrets if one of them is malformed, and reads them ' +
        'again every five minutes. See docs/receiving.md.',
    };
  }
  const message =
    lines.length === 1
      ? 'The webhook accepts its secret: it accepted a test request, which Parley did not store.'
      : `The webhook accepts each of its ${lines.length} secrets: it accepted a test request for each, which Parley did not store.`;
  return { check, grade: 'ok', message };
};

/** Most operators may not read the secret, which is no fault of the stage. */
const unreadable = (error: unknown, target: Target): Finding => ({
  check,
  grade: error instanceof Error && error.name === 'AccessDeniedException' ? 'ok' : 'warning',
  message: `No test request was sent: the webhook secret could not be read. ${explainError(error, target).message}`,
  remedy: 'To let doctor test the secret, add the policy docs/policies/webhook-secret.json to your permissions.',
});

const DAY_MS = 24 * 60 * 60 * 1000;

const notQueued = (refused: readonly string[]): Finding => ({
  check,
  grade: 'failing',
  message: `API Gateway did not put the test request of ${count(refused.length, 'secret')} on the inbound queue: ${refused.join(', ')}.`,
  remedy:
    'With 429, raise webhook.throttle. With 5xx, check the role of the API, the policy of the queue, and the key, if ' +
    'the stage has one. Then run doctor again.',
});

interface EarlierRequests {
  /** Test requests that were accepted in the last 24 hours, and all requests that were refused. */
  readonly probes: number;
  readonly refused: number;
}

/** Returns undefined without metrics, and an explanation if they cannot be read. */
const countEarlier = async (target: Target): Promise<EarlierRequests | string | undefined> => {
  const { region, credentials, metricsNamespace: namespace } = target;
  if (namespace === undefined) return undefined;
  const source = { region, credentials, namespace };
  const end = new Date();
  const start = new Date(end.getTime() - DAY_MS);
  try {
    const [probes, { refused }] = await Promise.all([
      countProbes(source, start, end),
      countMetricRequests(source, start, end),
    ]);
    return { probes, refused };
  } catch (error) {
    return explainError(error, target).message;
  }
};

/** Without a secret, every test request is unsigned, so one that was accepted says that any sender is. */
const acceptsUnsigned = async (target: Target): Promise<boolean> => {
  const earlier = await countEarlier(target);
  return typeof earlier === 'object' && earlier.probes > 0;
};

const UNSIGNED_ACCEPTED: Finding = {
  check,
  grade: 'warning',
  message: 'The webhook accepts unsigned requests: it has accepted the test request of an earlier run.',
  remedy: 'Anyone can send events as any user. Set webhook.auth to match how your events are signed.',
};

/** API Gateway answers all requests alike, so only the metrics of an earlier run show that they are accepted. */
const queuedProbes = async (target: Target, secrets: number): Promise<Finding> => {
  const sent = `A test request was put on the inbound queue for each of ${count(secrets, 'secret')}.`;
  const earlier = await countEarlier(target);
  if (earlier === undefined) {
    return { check, grade: 'ok', message: `${sent} The log of receive says whether they are accepted.` };
  }
  if (typeof earlier === 'string') {
    const message = `${sent} The accepted ones could not be counted. ${earlier}`;
    return { check, grade: 'warning', message, remedy: 'Allow cloudwatch:GetMetricStatistics; see docs/operating.md.' };
  }
  const { probes, refused } = earlier;
  if (probes > 0) {
    return {
      check,
      grade: 'ok',
      message: `${sent} Accepted test requests in the last 24 hours: ${probes}. doctor cannot tell which secrets.`,
    };
  }
  // Each run also sends an unsigned request, so without refused ones this is the first run.
  if (refused === 0) {
    const message = `${sent} No earlier one was sent in the last 24 hours; run doctor again in five minutes.`;
    return { check, grade: 'ok', message };
  }
  return {
    check,
    grade: 'warning',
    message: `${sent} None was accepted in the last 24 hours, and ${count(refused, 'request')} were refused.`,
    remedy:
      'Run doctor again in five minutes. If none is accepted then either, see the reasons in the log of the receive ' +
      'function: it uses none of the secrets if one of them is malformed.',
  };
};
