import { execFileSync } from 'node:child_process';
import { missingFromChangelog } from './changelog/missing-from-changelog.ts';

/**
 * `npm run changelog -- origin/main`: fails if what is public changed since a commit, but nothing was added under
 * Unreleased in CHANGELOG.md.
 */
const [base] = process.argv.slice(2);
if (base === undefined) {
  console.error('No commit to compare with. Use npm run changelog -- origin/main.');
  process.exit(2);
}
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const mergeBase = git('merge-base', base, 'HEAD').trim();
const changedFiles = git('diff', '--name-only', mergeBase).split('\n').filter(Boolean);
const missing = missingFromChangelog({
  changedFiles,
  before: git('show', `${mergeBase}:CHANGELOG.md`),
  after: git('show', 'HEAD:CHANGELOG.md'),
});
if (missing.length > 0) {
  console.error(
    `These files list what is public, and changed: ${missing.join(', ')}.\n` +
      'Add a line for users under Unreleased in CHANGELOG.md. docs/upgrading.md says what kind of change it is.',
  );
  process.exitCode = 1;
}
