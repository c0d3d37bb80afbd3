import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROBE_QUESTIONS, ROLLOUT_QUESTIONS } from '../../smoke/matrix/questions.ts';
import { VARIANTS } from '../../smoke/matrix/variants.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Three local runs, one after another. */
const TIMEOUT_MS = 600_000;

it('prints a report of all variants as local runs, without answers that only an account has', {
  timeout: TIMEOUT_MS,
}, () => {
  const args = ['run', '--silent', 'smoke', '--', '--matrix', '--local'];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });

  expect(status, `${stdout}\n${stderr}`).toBe(0);
  const report = stdout.slice(stdout.indexOf('## Smoke test'));
  expect(report).toMatch(/^## Smoke test \d{8}: passed$/m);
  expect(report).toContain('Left behind: nothing.');
  for (const { name, onlyInAws } of VARIANTS) {
    expect(report).toMatch(
      new RegExp(`^\\| ${name} \\|.* ok \\| .*(\\| median \\d+ ms, p95 \\d+ ms, n 20 ){2}\\|$`, 'm'),
    );
    if (onlyInAws !== undefined) expect(report).toContain(`- ${name}: ${onlyInAws}`);
  }
  for (const { question, notLocally } of [...PROBE_QUESTIONS, ...ROLLOUT_QUESTIONS]) {
    expect(report).toContain(`| ${question} | not asked: ${notLocally} |`);
  }
});
