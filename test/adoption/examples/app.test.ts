import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRunFolder } from '../../../local/base/run-folder.ts';
import { parseTemplate, type Template } from '../../../local/template/template.ts';

const ROOT = join(import.meta.dirname, '../../..');
const TIMEOUT_MS = 100_000;

let parley: Template;
let examples: Template;

beforeAll(async () => {
  await using folder = await createRunFolder();
  const outdir = join(folder.path, 'cdk.out');
  const { context } = JSON.parse(await readFile(join(ROOT, 'cdk.json'), 'utf8'));
  const env = { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify({ ...context, stage: 'dev' }) };
  const options = { cwd: ROOT, env, timeout: TIMEOUT_MS };
  await promisify(execFile)(process.execPath, [join(ROOT, 'examples', 'app.ts')], options);
  const read = async (stack: string): Promise<Template> =>
    parseTemplate(JSON.parse(await readFile(join(outdir, `${stack}.template.json`), 'utf8')));
  [parley, examples] = [await read('Parley-dev'), await read('ParleyExamples-dev')];
});

const ofType = ({ Resources }: Template, type: string) => Object.values(Resources).filter(({ Type }) => Type === type);
const documentOf = ({ Properties }: { readonly Properties: unknown }): string => JSON.stringify(Properties);

describe('the app of the examples', () => {
  it('has Parley and a stack with every construct of the examples', () => {
    expect(ofType(parley, 'AWS::Lambda::Function').length).toBeGreaterThan(3);
    const types = ['Lambda::Function', 'Events::Rule', 'Pipes::Pipe', 'StepFunctions::StateMachine'];
    expect(types.map((type) => ofType(examples, `AWS::${type}`).length)).toEqual([2, 3, 1, 1]);
  });

  it('lets the state machine read sends through the API, and nothing else of it', () => {
    const policies = ofType(examples, 'AWS::IAM::Policy').map(documentOf);
    const [policy = ''] = policies.filter((document) => document.includes('execute-api:Invoke'));
    expect(policy).toContain('/$default/GET/v1/sends/*');
    expect(policy).not.toMatch(/\/\$default\/(POST|PUT|DELETE|\*)/);
  });

  it('puts what fails on a dead-letter queue, wherever a queue is consumed', () => {
    const queues = ofType(examples, 'AWS::SQS::Queue').map(({ Properties }) => Properties);
    const consumed = queues.filter((queue) => 'RedrivePolicy' in queue);
    expect([queues.length, consumed.length]).toEqual([6, 3]);
  });
});
