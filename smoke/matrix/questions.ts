import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { explainError } from '../../cli/base/errors.ts';
import type { AwsAccount, StackResource } from '../aws-account.ts';
import type { SmokeStep } from '../smoke-stage.ts';
import { PROBE_FUNCTION, PROBE_MAPPING, TABLE } from './variants.ts';

/** What a question is asked with. */
export interface Evidence {
  readonly aws: AwsAccount;
  /** The resources of the stack that was deployed to ask. */
  readonly resources: readonly StackResource[];
  /** How long to wait for what AWS reports later. */
  readonly patienceMs: number;
  readonly pollMs: number;
  /** When the stack was deployed or changed, in seconds since 1970. */
  readonly sinceSeconds: number;
}

export interface Answer {
  readonly answer: 'yes' | 'no' | 'open';
  readonly seen: string;
}

/** What AWS's documentation leaves open. Parley works in either case, unless `parley` says otherwise. */
export interface Question {
  readonly question: string;
  readonly how: string;
  /** What Parley does today. */
  readonly parley: string;
  /** What to change, by the answer. */
  readonly toDo: Readonly<Record<'yes' | 'no', string>>;
  /** Why a local run cannot answer it. */
  readonly notLocally: string;
  readonly ask: (evidence: Evidence) => Promise<Answer>;
}

const NOTHING = 'nothing';

const found = ({ resources }: Evidence, logicalId: string): StackResource | undefined =>
  resources.find((resource) => resource.logicalId === logicalId && resource.status === 'CREATE_COMPLETE');

const reasonOf = ({ resources }: Evidence, logicalId: string): string =>
  resources.find((resource) => resource.logicalId === logicalId)?.reason || 'it was not created';

const open = (seen: string): Answer => ({ answer: 'open', seen });

/** Writes an item to the probes' table. */
const putItem = ({ aws }: Evidence, TableName: string, pk: string) =>
  aws.call('dynamodb', 'DynamoDB_20120810.PutItem', { TableName, Item: { pk: { S: pk } } });

const tableOf = ({ resources }: Evidence): string | undefined =>
  resources.find(({ type, status }) => type === TABLE && status === 'CREATE_COMPLETE')?.id;

const sizeOfMissing: Question = {
  question: 'Is a condition with the size() of a missing attribute false, rather than an error?',
  how: 'a conditional delete of an item in a table of its own',
  parley: 'no condition uses size()',
  toDo: { yes: NOTHING, no: NOTHING },
  notLocally: 'The local table is an emulator, whose answer says nothing about DynamoDB.',
  async ask(evidence) {
    const TableName = tableOf(evidence);
    if (TableName === undefined) return open('the table of the probes was not created');
    await putItem(evidence, TableName, 'size');
    const input = {
      TableName,
      Key: { pk: { S: 'size' } },
      ConditionExpression: 'size(#missing) < :one',
      ExpressionAttributeNames: { '#missing': 'missing' },
      ExpressionAttributeValues: { ':one': { N: '1' } },
    };
    return evidence.aws.call('dynamodb', 'DynamoDB_20120810.DeleteItem', input).then(
      () => ({ answer: 'no', seen: 'the condition is true' }),
      (error: unknown) => {
        if (!(error instanceof Error)) throw error;
        if (error.name === 'ConditionalCheckFailedException') return { answer: 'yes', seen: error.name };
        if (error.name === 'ValidationException') return { answer: 'no', seen: `${error.name}: ${error.message}` };
        throw error;
      },
    );
  },
};

const mapping = z.object({ State: z.string(), LastProcessingResult: z.string().optional() });

/** Writes an item, and waits until Lambda says how it processed the stream. */
const readStream = async (evidence: Evidence): Promise<string> => {
  const { aws, patienceMs, pollMs } = evidence;
  const [id, table] = [found(evidence, PROBE_MAPPING)?.id, tableOf(evidence)];
  if (id === undefined || table === undefined) return 'the event source mapping was not created';
  const deadline = performance.now() + patienceMs;
  for (let index = 0; ; index += 1) {
    await putItem(evidence, table, `stream-${index}`);
    const path = `/2015-03-31/event-source-mappings/${id}`;
    const { State, LastProcessingResult = '' } = mapping.parse(await aws.get('lambda', path));
    if (/^(OK|PROBLEM)/.test(LastProcessingResult) || performance.now() > deadline) {
      return `${State}, ${LastProcessingResult || 'no result'}`;
    }
    await pause(pollMs);
  }
};

const listStreams: Question = {
  question: "Is ListStreams on the stream's ARN enough for an event source mapping?",
  how: 'an event source mapping of a role with just that',
  parley: 'the role of publish may list all streams',
  toDo: { yes: 'Limit ListStreams in lib/constructs/table.ts to the ARN of the stream.', no: NOTHING },
  notLocally: 'The local run checks no permissions.',
  async ask(evidence) {
    if (!found(evidence, PROBE_MAPPING)) {
      const seen = reasonOf(evidence, PROBE_MAPPING);
      return { answer: seen.includes('ListStreams') ? 'no' : 'open', seen };
    }
    const seen = await readStream(evidence);
    return { answer: /, OK/.test(seen) ? 'yes' : /ListStreams/.test(seen) ? 'no' : 'open', seen };
  },
};

const streamKey: Question = {
  question: 'Does reading an encrypted stream call KMS through dynamodb?',
  how: 'an encrypted stream, read by a role that may decrypt only with kms:ViaService dynamodb',
  parley:
    'the role of publish may decrypt only through dynamodb; if the answer is no, a stage with a key publishes no events',
  toDo: { yes: NOTHING, no: 'Grant kms:Decrypt without kms:ViaService in grantOnStream of lib/constructs/table.ts.' },
  notLocally: 'The local run encrypts nothing.',
  async ask(evidence) {
    const seen = await readStream(evidence);
    return { answer: /, OK/.test(seen) ? 'yes' : /kms|decrypt/i.test(seen) ? 'no' : 'open', seen };
  },
};

const sourceAccount: Question = {
  question: "Does Lambda name the account (aws:SourceAccount) when it assumes a function's role?",
  how: 'a function whose role requires it',
  parley: 'the roles require it only if it is named (StringEqualsIfExists)',
  toDo: { yes: 'Use StringEquals in lambdaPrincipal of lib/constructs/service-principals.ts.', no: NOTHING },
  notLocally: 'The local run assumes no roles.',
  async ask(evidence) {
    if (found(evidence, PROBE_FUNCTION)) return { answer: 'yes', seen: 'the function was created' };
    const seen = reasonOf(evidence, PROBE_FUNCTION);
    return { answer: /cannot be assumed/.test(seen) ? 'no' : 'open', seen };
  },
};

const trail = z.object({
  Events: z.array(z.object({ CloudTrailEvent: z.string() })).default([]),
  NextToken: z.string().optional(),
});
const trailEvent = z.object({
  userIdentity: z.object({ arn: z.string().optional(), invokedBy: z.string().optional() }),
  requestParameters: z.object({ alarmNames: z.array(z.string()).optional() }).nullish(),
  errorCode: z.string().optional(),
});

/** A limit for accounts whose tools call DescribeAlarms constantly; earlier calls are then not found. */
const MAX_PAGES = 20;

/**
 * Returns the calls that were made with the roles of the stack's rollouts.
 *
 * Source: https://docs.aws.amazon.com/awscloudtrail/latest/APIReference/API_LookupEvents.html
 */
const readAlarmCalls = async ({ aws, resources, sinceSeconds, pollMs }: Evidence) => {
  const roles = resources.filter(({ logicalId }) => /RolloutRole/.test(logicalId)).map(({ id }) => id);
  const LookupAttributes = [{ AttributeKey: 'EventName', AttributeValue: 'DescribeAlarms' }];
  const operation = 'com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101.LookupEvents';
  const calls: z.output<typeof trailEvent>[] = [];
  let NextToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const input = { LookupAttributes, StartTime: sinceSeconds, NextToken };
    const found = trail.parse(await aws.call('cloudtrail', operation, input));
    calls.push(...found.Events.map(({ CloudTrailEvent }) => trailEvent.parse(JSON.parse(CloudTrailEvent))));
    NextToken = found.NextToken;
    if (NextToken === undefined) break;
    // CloudTrail accepts two calls a second.
    await pause(pollMs);
  }
  return calls.filter(({ userIdentity: { arn = '' } }) => roles.some((role) => arn.includes(`/${role}/`)));
};

const alarmPolling: Question = {
  question: 'Does CodeDeploy ask for alarms by their names?',
  how: "CloudTrail's record of DescribeAlarms during a rollout, which arrives up to 15 minutes later",
  parley: "CodeDeploy's role may describe all alarms",
  toDo: { yes: 'Limit DescribeAlarms in lib/constructs/rollout/gradual-rollout.ts to the alarm.', no: NOTHING },
  notLocally: 'A function of the local run has one version, so there is no rollout.',
  async ask(evidence) {
    const deadline = performance.now() + evidence.patienceMs;
    for (;;) {
      const calls = await readAlarmCalls(evidence);
      const named = calls.filter(({ requestParameters }) => (requestParameters?.alarmNames ?? []).length > 0).length;
      const denied = calls.flatMap(({ errorCode }) => errorCode ?? []);
      const seen = `${calls.length} calls, ${named} with names, ${denied.length} denied`;
      if (calls.length > 0) return { answer: named === calls.length ? 'yes' : 'no', seen };
      if (performance.now() > deadline) return open('CloudTrail has no such call');
      await pause(evidence.pollMs);
    }
  },
};

/** What the probes answer. */
export const PROBE_QUESTIONS: readonly Question[] = [sizeOfMissing, listStreams, sourceAccount, streamKey];

/** What a rollout answers. */
export const ROLLOUT_QUESTIONS: readonly Question[] = [alarmPolling];

/** Returns a step that asks a question. It never fails: a question that cannot be answered stays open. */
export const askingStep = (question: Question, record: (answer: Answer) => void): SmokeStep<Evidence> => ({
  title: question.question,
  async run(evidence) {
    const answer = await question.ask(evidence).catch((error: unknown) => open(explainError(error).message));
    record(answer);
    return `${answer.answer} (${answer.seen})`;
  },
});
