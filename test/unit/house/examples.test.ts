import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Programs and constructs, without what they import. */
const examples = globSync('examples/**/*.{ts,py,java}', { cwd: ROOT })
  .filter((file) => !file.includes('/target/'))
  .toSorted();
const readme = globSync('examples/**/README.md', { cwd: ROOT }).map(read).join('\n');
const tests = globSync('test/adoption/examples/**/*.ts', { cwd: ROOT }).map(read).join('\n');

it('lists every example in examples/README.md', () => {
  const targets = [...readme.matchAll(/(?:\]\(|^\[[\w-]+\]: )([^)\s]+)/gm)].map(([, target]) => `examples/${target}`);
  expect(examples.filter((file) => !targets.includes(file))).toEqual([
    // What other examples import.
    'examples/java/src/main/java/parley/examples/CsvFile.java',
    'examples/java/src/main/java/parley/examples/Event.java',
    'examples/java/src/main/java/parley/examples/SendRequest.java',
    'examples/message-group-id.ts',
    'examples/python/send_request.py',
  ]);
});

it('runs every program and construct in a test', () => {
  const isRun = (file: string) =>
    [basename(file), basename(file).replace(/\.\w+$/, '')].some((name) => tests.includes(name));
  expect(examples.filter((file) => !isRun(file))).toEqual([
    // What programs import.
    'examples/java/src/main/java/parley/examples/CsvFile.java',
    'examples/java/src/main/java/parley/examples/SendRequest.java',
    'examples/management/call-management-api.ts',
    'examples/message-group-id.ts',
    'examples/python/management_api.py',
    'examples/python/send_request.py',
  ]);
});

it('imports Parley only as a package, so that it works where it is copied to', () => {
  const outside = examples.filter((file) =>
    /from '(?:\.\.\/)+(?:lib|lambdas|local|cli|sandbox|test)\//.test(read(file)),
  );
  expect(outside).toEqual([]);
});
