import { EXPIRY, INDEXES } from '../../lambdas/table/indexes.ts';
import { keyStatements } from '../../lib/settings/key-policy.ts';
import { explainError } from '../base/errors.ts';
import type { Target } from '../base/target.ts';
import { readEventBus, readKeyPolicy, readTable } from '../operations/existing-resources.ts';
import { keyPolicyGaps } from '../operations/key-policy-gaps.ts';
import type { Finding } from './finding.ts';

const check = 'existing resources';
const PAGE = 'docs/existing-resources.md';

/** The properties of the target that the checks need. */
export type ExistingTarget = Pick<Target, 'name' | 'isLocal' | 'region' | 'credentials' | 'metricsNamespace'> & {
  readonly addresses: Pick<
    Target['addresses'],
    | 'accessTokenSecretId'
    | 'existingTableArn'
    | 'existingEventBusArn'
    | 'existingKeyArn'
    | 'publishFailuresQueueUrl'
    | 'undeliveredEventsQueueUrl'
  >;
};

/** Checks the resources that the stack uses but did not create, so that CloudFormation cannot set them up. */
export const checkExisting = async (target: ExistingTarget): Promise<readonly Finding[]> => {
  if (target.isLocal) return [];
  const { existingTableArn, existingEventBusArn, existingKeyArn } = target.addresses;
  const found = await Promise.all([
    existingTableArn === undefined
      ? []
      : readable(target, existingTableArn, () => checkTable(existingTableArn, target)),
    existingEventBusArn === undefined
      ? []
      : readable(target, existingEventBusArn, () => checkEventBus(existingEventBusArn, target)),
    existingKeyArn === undefined ? [] : readable(target, existingKeyArn, () => checkKey(existingKeyArn, target)),
  ]);
  return found.flat();
};

const readable = async (
  target: ExistingTarget,
  arn: string,
  read: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> => {
  try {
    return await read();
  } catch (error) {
    const message = `${arn} could not be read. ${explainError(error, target).message}`;
    return [{ check, grade: 'warning', message, remedy: `Does it exist? ${PAGE} lists the permissions to read it.` }];
  }
};

/** The keys of the table and its indexes. */
const KEYS = ['table: pk, sk', ...INDEXES.map(({ name, partition, sort }) => `${name}: ${partition}, ${sort}`)];

const checkTable = async (tableArn: string, target: ExistingTarget): Promise<readonly Finding[]> => {
  const { keys, streamArn, ttlAttribute, hasPointInTimeRecovery, isProtected } = await readTable(tableArn, target);
  const remedy = `See ${PAGE}#a-table.`;
  const finding = (grade: Finding['grade'], message: string): Finding => ({ check, grade, message, remedy });
  const missing = KEYS.filter((key) => !keys.includes(key));
  const findings = [
    ...(missing.length > 0
      ? [finding('failing', `${tableArn} lacks these keys or indexes: ${missing.join('; ')}.`)]
      : []),
    ...(streamArn
      ? []
      : [finding('failing', `${tableArn} has no stream with new and old images, so no events are published.`)]),
    ...(ttlAttribute === EXPIRY
      ? []
      : [finding('failing', `${tableArn} has no TTL on ${EXPIRY}, so items never expire.`)]),
    ...(hasPointInTimeRecovery ? [] : [finding('warning', `${tableArn} has no point-in-time recovery.`)]),
    ...(isProtected ? [] : [finding('warning', `${tableArn} is not protected from deletion.`)]),
  ];
  if (findings.length > 0) return findings;
  return [
    {
      check,
      grade: 'ok',
      message: `${tableArn} has Parley's keys, indexes, and TTL. Its latest stream is ${streamArn}.`,
    },
  ];
};

const checkEventBus = async (eventBusArn: string, target: ExistingTarget): Promise<readonly Finding[]> => {
  await readEventBus(eventBusArn, target);
  return [{ check, grade: 'ok', message: `${eventBusArn} exists.` }];
};

const checkKey = async (keyArn: string, target: ExistingTarget): Promise<readonly Finding[]> => {
  const { accessTokenSecretId, existingEventBusArn, publishFailuresQueueUrl, undeliveredEventsQueueUrl } =
    target.addresses;
  const [, partition = 'aws', , region = target.region, account = ''] = accessTokenSecretId.split(':');
  const needed = keyStatements({
    partition,
    region,
    urlSuffix: partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com',
    account,
    stackName: target.metricsNamespace ?? '',
    hasEventBus: publishFailuresQueueUrl !== undefined && existingEventBusArn === undefined,
    hasEventDeadLetters: undeliveredEventsQueueUrl !== undefined,
  });
  const gaps = keyPolicyGaps(await readKeyPolicy(keyArn, target), needed);
  if (gaps.length === 0) {
    return [{ check, grade: 'ok', message: `The policy of ${keyArn} lets AWS services use it for the stage.` }];
  }
  return gaps.map((statement) => ({
    check,
    grade: 'failing',
    message: `The policy of ${keyArn} does not let ${statement.Principal.Service} use it: ${statement.Sid} is missing.`,
    remedy: `Add this statement to the key's policy: ${JSON.stringify(statement)}`,
  }));
};
