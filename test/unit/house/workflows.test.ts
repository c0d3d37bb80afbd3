import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { missingFromChangelog } from '../../../bin/changelog/missing-from-changelog.ts';
import { DEPLOY_WORKFLOW, REPOSITORY_DEPLOY_WORKFLOW } from '../../../cli/init/deploy-workflow.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { FULL_STAGE } from '../lib/changes/setting-cases.ts';
import { rolloutMinutes } from '../lib/constructs/rollout/rollout-minutes.ts';
import { synthesizedStack } from '../lib/synthesized-stack.ts';

const ROOT = join(import.meta.dirname, '../../..');
const workflowFile = (name: string): string => readFileSync(join(ROOT, '.github/workflows', name), 'utf8');

const WORKFLOWS = [
  { name: 'ci.yml', text: workflowFile('ci.yml') },
  { name: 'deploy.yml', text: workflowFile('deploy.yml') },
  { name: 'the deploy.yml of a new app', text: DEPLOY_WORKFLOW },
];
const DEPLOYING = WORKFLOWS.slice(1);

/** CDK's own parser of YAML. */
const yaml: { parse: (text: string) => unknown } = createRequire(
  createRequire(import.meta.url).resolve('aws-cdk-lib/package.json'),
)('yaml');

const step = z.looseObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.looseObject({}).optional(),
});
const workflow = z.looseObject({
  permissions: z.record(z.string(), z.string()),
  concurrency: z.looseObject({ group: z.string() }),
  jobs: z.record(
    z.string(),
    z.looseObject({
      needs: z.string().optional(),
      environment: z.string().optional(),
      'timeout-minutes': z.number(),
      permissions: z.record(z.string(), z.string()).optional(),
      steps: z.array(step),
    }),
  ),
});
const parsed = (text: string) => workflow.parse(yaml.parse(text));

describe.each(WORKFLOWS)('The workflow $name', ({ text }) => {
  const { jobs, permissions } = parsed(text);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it('uses actions by the hash of a commit, and says which version it is', () => {
    const uses = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action);

    expect(uses.length).toBe(steps.filter(({ uses: action }) => action !== undefined).length);
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('runs only npm scripts that exist', () => {
    const scripts = [...text.matchAll(/npm (?:run )?(test|(?<=run )[\w:]+)/g)].map(([, script]) => script);

    for (const script of scripts) expect(Object.keys(packageJson.scripts)).toContain(script);
  });

  it('may only read the repository', () => {
    expect(permissions).toEqual({ contents: 'read' });
  });

  it('inserts no expression into a shell command', () => {
    expect(steps.flatMap(({ run }) => (run?.includes('${{') ? [run] : []))).toEqual([]);
  });

  it('is accepted by actionlint, where it is installed', ({ skip }) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'parley-workflow-'));
    const file = join(folder.path, 'workflow.yml');
    writeFileSync(file, text);
    const { error, stdout } = spawnSync('actionlint', ['-no-color', '-shellcheck=', '-pyflakes=', file], {
      encoding: 'utf8',
    });
    if (error) skip('actionlint is not installed: go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.7');
    expect(stdout).toBe('');
  });
});

describe.each(DEPLOYING)('The workflow $name', ({ text }) => {
  const { jobs, concurrency } = parsed(text);

  it('tests, and then diffs and deploys dev, and then prod, one deployment at a time', () => {
    expect(Object.entries(jobs).map(([name, { needs, environment }]) => [name, needs, environment])).toEqual([
      ['test', undefined, undefined],
      ['diff-dev', 'test', 'dev-diff'],
      ['deploy-dev', 'diff-dev', 'dev'],
      ['diff-prod', 'deploy-dev', 'prod-diff'],
      ['deploy-prod', 'diff-prod', 'prod'],
    ]);
    expect(concurrency).toMatchObject({ group: expect.stringMatching(/^deploy/), 'cancel-in-progress': false });
  });

  it("gets credentials of AWS only by OIDC, from the environment's variables", () => {
    const { test: testing, ...ofStages } = jobs;
    expect(testing?.permissions).toBe(undefined);
    expect(text).not.toContain('secrets.');
    for (const { permissions, steps } of Object.values(ofStages)) {
      expect(permissions).toEqual({ contents: 'read', 'id-token': 'write' });
      const credentials = steps.filter(({ uses }) => uses?.startsWith('aws-actions/'));
      expect(credentials.map((one) => one.with)).toEqual([
        expect.objectContaining({
          'role-to-assume': '${{ vars.AWS_ROLE_ARN }}',
          'aws-region': '${{ vars.AWS_REGION }}',
        }),
      ]);
    }
  });
});

describe('The time of a deployment', () => {
  const rollouts = rolloutMinutes(synthesizedStack('prod', FULL_STAGE).template.toJSON());
  /** A deployment without rollouts takes about 15 minutes, and more in a VPC. */
  const OTHER_MINUTES = 30;
  /**
   * The default of the action, and the maximum for the bootstrap's roles, which CDK assumes from another role. Source:
   * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
   */
  const CREDENTIALS_MINUTES = 60;

  it('includes at most two gradual rollouts one after another, as docs/delivery.md says', () => {
    const page = readFileSync(join(ROOT, 'docs/delivery.md'), 'utf8').replaceAll('\n', ' ');

    expect(rollouts).toBe(20);
    expect(page).toContain(`at most ${rollouts} minutes in all`);
  });

  it.each(DEPLOYING)('is less than the timeout of the job, for which its credentials last: $name', ({ text }) => {
    const timeouts = Object.entries(parsed(text).jobs).flatMap(([name, job]) =>
      name.startsWith('deploy-') ? [job['timeout-minutes']] : [],
    );

    expect(timeouts.length).toBeGreaterThan(0);
    for (const timeout of timeouts) {
      expect(timeout).toBeGreaterThanOrEqual(rollouts + OTHER_MINUTES);
      expect(timeout).toBeLessThanOrEqual(CREDENTIALS_MINUTES);
    }
  });
});

describe('The workflows of the repository', () => {
  it('have one source with that of a new app', () => {
    expect(workflowFile('deploy.yml')).toBe(REPOSITORY_DEPLOY_WORKFLOW);
  });

  it('run what .ci/run runs, on two cores', () => {
    expect(workflowFile('ci.yml')).toContain('taskset --cpu-list 0,1 .ci/run');
  });
});

describe('The check of CHANGELOG.md', () => {
  const before = '# Changelog\n\n## Unreleased\n\n- Old.\n\n## 0.1.0\n\n- First.\n';
  const changedFiles = ['lib/index.ts', 'test/unit/house/public-surface/exports.txt', 'docs/events.schema.json'];

  it('names what is public and changed without a new line under Unreleased', () => {
    const missing = ['test/unit/house/public-surface/exports.txt', 'docs/events.schema.json'];

    expect(missingFromChangelog({ changedFiles, before, after: before })).toEqual(missing);
    expect(missingFromChangelog({ changedFiles, before, after: before.replace('- First.', '- Last.') })).toEqual(
      missing,
    );
  });

  it('accepts a new line, and changes of what is not public', () => {
    const after = before.replace('- Old.', '- Old.\n- New.');

    expect(missingFromChangelog({ changedFiles, before, after })).toEqual([]);
    expect(missingFromChangelog({ changedFiles: ['lib/index.ts'], before, after: before })).toEqual([]);
  });
});
