import { beforeEach, describe, expect, it } from 'vitest';
import type { StackResource } from '../../../smoke/aws-account.ts';
import { type Answer, askingStep, PROBE_QUESTIONS, ROLLOUT_QUESTIONS } from '../../../smoke/matrix/questions.ts';
import { awsError, createScriptedAccount, resource, type ScriptedAccount } from '../../support/scripted-account.ts';

const MAPPING_PATH = '/2015-03-31/event-source-mappings/Mapping-id';
const PROBES = [
  resource('Table0A1B2C3D', 'AWS::DynamoDB::Table'),
  resource('Function', 'AWS::Lambda::Function'),
  resource('Mapping', 'AWS::Lambda::EventSourceMapping'),
];
const ROLE = resource('ReceiverFunctionRolloutRole1D6039A3', 'AWS::IAM::Role');

let aws: ScriptedAccount;
let result: string;

beforeEach(() => {
  aws = createScriptedAccount();
  result = 'OK';
  aws.answers.set('PutItem', () => ({}));
  aws.answers.set(MAPPING_PATH, () => ({ State: 'Enabled', LastProcessingResult: result }));
});

/** Asks the question that contains these words. */
const ask = async (words: string, resources: readonly StackResource[] = PROBES): Promise<Answer | undefined> => {
  const question = [...PROBE_QUESTIONS, ...ROLLOUT_QUESTIONS].find((one) => one.question.includes(words));
  if (question === undefined) throw new Error(`No question contains ${words}.`);
  let answer: Answer | undefined;
  const step = askingStep(question, (given) => {
    answer = given;
  });
  const subject = { id: '1', user: '', inboundId: '', requestId: '' };
  await step.run({ aws, resources, patienceMs: 20, pollMs: 1, sinceSeconds: 0 }, subject);
  return answer;
};

const failed = (logicalId: string, reason: string) =>
  PROBES.map((one) => (one.logicalId === logicalId ? { ...one, status: 'CREATE_FAILED', reason } : one));

describe('size() of a missing attribute', () => {
  it.each([
    ['yes', awsError('ConditionalCheckFailedException')],
    ['no', awsError('ValidationException', 'Invalid operand')],
    ['open', awsError('AccessDeniedException')],
  ])('is answered with %s', async (answer, error) => {
    aws.answers.set('DeleteItem', () => {
      throw error;
    });

    expect(await ask('size()')).toMatchObject({ answer });
  });

  it('is answered with no if the condition is true', async () => {
    aws.answers.set('DeleteItem', () => ({}));

    expect(await ask('size()')).toMatchObject({ answer: 'no', seen: 'the condition is true' });
  });
});

describe('ListStreams', () => {
  it.each([
    ['yes', 'OK'],
    ['no', 'PROBLEM: not authorized to perform: dynamodb:ListStreams'],
    ['open', 'PROBLEM: Function call failed'],
    ['open', 'No records processed'],
  ])('is answered with %s by the mapping that says %s', async (answer, said) => {
    result = said;

    expect(await ask('ListStreams')).toMatchObject({ answer, seen: `Enabled, ${said}` });
  });

  it('is answered with no by a mapping that cannot be created because of it', async () => {
    const resources = failed('Mapping', 'Ensure the role can perform the GetRecords and ListStreams Actions');

    expect(await ask('ListStreams', resources)).toMatchObject({ answer: 'no' });
  });
});

describe('aws:SourceAccount', () => {
  it.each([
    ['yes', PROBES],
    ['no', failed('Function', 'The role defined for the function cannot be assumed by Lambda.')],
    ['open', failed('Function', 'Rate exceeded')],
  ])('is answered with %s', async (answer, resources) => {
    expect(await ask('aws:SourceAccount', resources)).toMatchObject({ answer });
  });
});

describe('KMS of a stream', () => {
  it.each([
    ['yes', 'OK'],
    ['no', 'PROBLEM: KMS access denied'],
    ['open', 'PROBLEM: Function call failed'],
  ])('is answered with %s by the mapping that says %s', async (answer, said) => {
    result = said;

    expect(await ask('KMS')).toMatchObject({ answer });
  });
});

describe("CodeDeploy's polling", () => {
  const call = (arn: string, requestParameters: object | null) => ({
    CloudTrailEvent: JSON.stringify({ userIdentity: { arn }, requestParameters }),
  });
  const ofRollout = `arn:aws:sts::111122223333:assumed-role/${ROLE.id}/CodeDeploy`;
  const ofOther = 'arn:aws:sts::111122223333:assumed-role/Admin/ana';

  it.each([
    ['yes', [call(ofRollout, { alarmNames: ['a'] }), call(ofOther, {})], '1 calls, 1 with names, 0 denied'],
    ['no', [call(ofRollout, { alarmNames: ['a'] }), call(ofRollout, null)], '2 calls, 1 with names, 0 denied'],
    ['open', [call(ofOther, { alarmNames: ['a'] })], 'CloudTrail has no such call'],
  ])('is answered with %s', async (answer, Events, seen) => {
    aws.answers.set('LookupEvents', ({ NextToken }) => (NextToken ? { Events } : { Events: [], NextToken: 'next' }));

    expect(await ask('CodeDeploy', [ROLE])).toEqual({ answer, seen });
  });
});
