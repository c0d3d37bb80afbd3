import { count } from '../command.ts';
import { explainError } from '../errors.ts';
import { probeWebhook } from '../operations/probe-webhook.ts';
import { countProbes } from '../operations/webhook-requests.ts';
import { fingerprintOf, readSecrets } from '../operations/webhook-secrets.ts';
import type { Target } from '../target.ts';
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
  if (webhookSecretId === undefined) {
    const message =
      'No test request was sent: the webhook has no secret. Only Pub/Sub or Amazon SNS can sign its requests, or the ' +
      'webhook does not verify requests (insecure-none).';
    return { check, grade: 'ok', message };
  }
  if (kind === undefined || header === undefined) {
    const message = 'No test request was sent: the deployed version would quarantine it.';
    return { check, grade: 'warning', message, remedy: 'Deploy the current version of Parley.' };
  }
  const read = await readSecrets(target.secretsManager, webhookSecretId).catch((error: unknown) => ({ error }));
  if ('error' in read) return unreadable(read.error, target);
  const { lines } = read;
  const statuses = await Promise.all(lines.map((line) => probeWebhook(line, { webhookUrl, kind, header, now })));
  if (isBuffered && lines.length > 0) return queuedProbes(target, statuses);
  const refused = lines.flatMap((line, index) =>
    statuses[index] === 200 ? [] : [`${fingerprintOf(line)} (${statuses[index] ?? 'no response'})`],
  );
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

/** API Gateway answers all requests alike, so only the metric of an earlier run shows that they are accepted. */
const queuedProbes = async (
  { region, credentials, metricsNamespace: namespace }: Target,
  statuses: readonly (number | undefined)[],
): Promise<Finding> => {
  const sent = `A test request was put on the inbound queue for each of ${count(statuses.length, 'secret')}.`;
  if (namespace === undefined) {
    return { check, grade: 'ok', message: `${sent} The log of receive says whether they are accepted.` };
  }
  const end = new Date();
  const accepted = await countProbes({ region, credentials, namespace }, new Date(end.getTime() - DAY_MS), end).catch(
    () => 0,
  );
  const message =
    accepted === 0
      ? `${sent} No earlier one was accepted in the last 24 hours; run doctor again in five minutes.`
      : `${sent} Accepted test requests in the last 24 hours: ${accepted}. doctor cannot tell which secrets.`;
  return { check, grade: 'ok', message };
};
