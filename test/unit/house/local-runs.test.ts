import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import config from '../../../vitest.config.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Starts local runs for all tests, and checks their tables. */
const CHECKED = 'test/support/checked-cloud.ts';

/** Tests whose stacks have no conversation table that functions write to, and what they have instead. */
const WITHOUT_TABLE: Readonly<Record<string, string>> = {
  'test/e2e/local/stack.test.ts': 'a template of its own, with a function that writes nothing',
  'test/e2e/local/start.test.ts': 'npm start in a process of its own, which receives only an unsigned request',
  'test/browser/take-screenshots.ts': 'no test: takes the pictures of the documents',
};

const files = globSync('test/{browser,e2e,resilience,simulation,support}/**/*.ts', { cwd: ROOT }).toSorted();
const codeOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Whether a file starts a stack itself: in this process, or in one of its own. */
const startsStack = (file: string): boolean =>
  /import \{[^}]*\bstartLocal\b[^}]*\} from '[^']*\/local-cloud\.ts'/.test(codeOf(file)) ||
  /import \{[^}]*\bstartStack\b[^}]*\} from '[^']*\/local\/stack\/stack\.ts'/.test(codeOf(file)) ||
  /local\/(start|demo)\.ts['"`]/.test(codeOf(file));

describe('a local run in a test', () => {
  it('is started where the stream of its table is checked', () => {
    const starting = files.filter((file) => startsStack(file));
    expect(starting).toEqual([CHECKED, ...Object.keys(WITHOUT_TABLE)].toSorted());
  });

  it('is checked after every test, in each project that starts runs', () => {
    const projects = config.test?.projects ?? [];
    const setups = new Map(
      projects.flatMap((project) =>
        typeof project === 'object' && 'test' in project
          ? [[String(project.test?.name), [project.test?.setupFiles ?? []].flat()] as const]
          : [],
      ),
    );
    const starting = files.filter((file) => /start(Test|Checked)Cloud\(|startSendingStage\(/.test(codeOf(file)));
    const used = new Set(starting.map((file) => file.split('/')[1] ?? '').filter((name) => setups.has(name)));
    expect([...used].toSorted()).toEqual(['browser', 'e2e', 'resilience']);
    expect([...used].filter((name) => !setups.get(name)?.includes('test/support/check-laws.ts'))).toEqual([]);
  });
});
