import { explainError } from '../base/errors.ts';
import type { Target } from '../base/target.ts';
import {
  type ApiThrottle,
  type Concurrency,
  readApiThrottle,
  readConcurrency,
  readRestApiThrottle,
} from '../operations/account-limits.ts';
import type { Finding } from './finding.ts';

const check = 'limits';

/** The properties of the target that the checks need. */
type LimitsTarget = Pick<Target, 'name' | 'isLocal' | 'region' | 'credentials'> & {
  readonly addresses: Pick<Target['addresses'], 'webhookUrl' | 'webhookApiId' | 'webhookIngress'>;
};

/** Checks the limits that apply in a flood of requests: the account's concurrency, and the throttling of the webhook. */
export const checkLimits = async (target: LimitsTarget): Promise<readonly Finding[]> => {
  // A local run has neither an account nor a quota.
  if (target.isLocal) return [];
  const { webhookUrl, webhookApiId = idIn(webhookUrl), webhookIngress } = target.addresses;
  const readWebhookThrottle = webhookIngress === 'buffered' ? readRestApiThrottle : readApiThrottle;
  return Promise.all([
    readable(target, 'lambda:GetAccountSettings', async () => describeConcurrency(await readConcurrency(target))),
    readable(target, 'apigateway:GET', async () => describeThrottle(await readWebhookThrottle(webhookApiId, target))),
  ]);
};

/** Turns an error into a warning, because a missing permission to read a limit is not a fault of the deployment. */
const readable = async (target: LimitsTarget, permission: string, read: () => Promise<Finding>): Promise<Finding> => {
  try {
    return await read();
  } catch (error) {
    const message = `A limit could not be read. ${explainError(error, target).message}`;
    return { check, grade: 'warning', message, remedy: `Allow ${permission}; see docs/policies/operator.json.` };
  }
};

/**
 * Lambda keeps at least this many executions unreserved, so an account below it cannot reserve any.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
const ALWAYS_UNRESERVED = 100;

/** Below this, a burst of webhook requests and a full send queue compete for executions. */
const FEW_EXECUTIONS = 50;

const describeConcurrency = ({ limit, unreserved }: Concurrency): Finding => {
  const message = `The account can run ${limit} concurrent executions, ${unreserved} of them unreserved.`;
  if (limit <= ALWAYS_UNRESERVED) {
    const remedy =
      'A burst of webhook requests may be answered with 5xx. Request a higher Lambda quota for "Concurrent ' +
      'executions". Until then, a deployment with the setting reservedConcurrency fails.';
    return { check, grade: limit < FEW_EXECUTIONS ? 'failing' : 'warning', message, remedy };
  }
  if (unreserved >= FEW_EXECUTIONS + ALWAYS_UNRESERVED) return { check, grade: 'ok', message };
  const cause = unreserved < limit ? 'Functions of the account reserve part of them. ' : '';
  const remedy = `${cause}Request a higher Lambda quota, or set reservedConcurrency.receive.`;
  return { check, grade: 'warning', message, remedy };
};

/** Below this rate, a publish/subscribe system that catches up after an outage is throttled. */
const LOW_RATE = 10;

/** Returns the ID of an API from the URL that API Gateway generates. */
const idIn = (url: string): string => new URL(url).hostname.split('.')[0] ?? '';

const describeThrottle = (throttle: ApiThrottle | undefined): Finding => {
  if (!throttle) {
    return { check, grade: 'ok', message: "The webhook accepts as many requests as the account's quota allows." };
  }
  const { requestsPerSecond, burst } = throttle;
  const message = `The webhook answers 429 above ${requestsPerSecond} requests per second, or ${burst} at once.`;
  if (requestsPerSecond >= LOW_RATE) return { check, grade: 'ok', message };
  const remedy = 'Authentic requests are refused too, and their sender slows down. Raise the setting webhook.throttle.';
  return { check, grade: 'warning', message, remedy };
};
