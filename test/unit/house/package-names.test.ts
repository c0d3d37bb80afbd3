import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parley } from '../../../build/parley.ts';
import { parleyLocal } from '../../../build/parley-local.ts';
import { TARBALLS } from '../../../cli/init/app-files.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { REPOSITORY_FILES, ROOT } from '../documents/markdown.ts';

// `parley` on the public registry is another project's package: no command that we write may download it.

const RECIPES = [parley(ROOT), parleyLocal(ROOT)];
const COMMANDS = RECIPES.flatMap(({ commands }) => Object.keys(commands));

/** A command that can download a package, up to the end of its line or of the quotes around it. */
const DOWNLOADS = /\b(npx|npm (?:exec|install|i|add|create|init)|yarn (?:add|dlx)|pnpm (?:add|dlx)|bunx) ([^\n`]*)/g;

/** A name on the registry that another project owns, or can claim: one of ours without its scope. */
const isUnscoped = (word: string): boolean => COMMANDS.includes(word.replace(/@.*$/, ''));

/** Whether a package is one of ours, or an archive of one of ours. */
const isOurs = (word: string): boolean =>
  RECIPES.some(({ name }) => word.replace(/(?<=.)@.*$/, '') === name) || TARBALLS.some((file) => word.endsWith(file));

/** Returns the commands in a text that could download a stranger's package. */
const unsafeCommands = (text: string): readonly string[] =>
  [...text.matchAll(DOWNLOADS)].flatMap(([command, program = '', rest = '']) => {
    const words = rest.split(/[\s'",;)]+/).filter(Boolean);
    const runs = /^(npx|npm exec|bunx)$|dlx$/.test(program);
    const end = words.findIndex(
      (word, index) => !word.startsWith('-') && !/^(-p|--package)$/.test(words[index - 1] ?? ''),
    );
    const options = words.slice(0, end);
    const source = options[options.findIndex((word) => /^(-p|--package)$/.test(word)) + 1];
    const isSafe = runs
      ? !isUnscoped(words[end] ?? '') || options.includes('--no') || (source !== undefined && isOurs(source))
      : !words.some(isUnscoped);
    return isSafe ? [] : [command];
  });

describe('the names of the packages', () => {
  it('have the scope of this project, also in the repository and in the files of npm run pack', () => {
    expect(RECIPES.map(({ name }) => name)).toEqual([packageJson.name, '@parleyhq/local']);
    expect(TARBALLS).toEqual(['parleyhq-parley', 'parleyhq-local'].map((name) => `${name}-${packageJson.version}.tgz`));
    // The repository's package is not the published one.
    expect(packageJson.private).toBe(true);
  });
});

describe('the commands in pages, messages, workflows, and generated files', () => {
  it('download no package that only has the name of a command', () => {
    const texts = [...REPOSITORY_FILES].filter(
      (file) => /\.(md|ts|tsx|js|json|ya?ml|sh|py|java|html)$/.test(file) && !file.endsWith('package-names.test.ts'),
    );
    const unsafe = texts.flatMap((file) =>
      unsafeCommands(readFileSync(join(ROOT, file), 'utf8')).map((command) => `${file}: ${command}`),
    );

    expect(texts.length).toBeGreaterThan(1000);
    expect(unsafe).toEqual([]);
  });

  it.each([
    'npx parley init',
    'npx --yes parley send',
    'npx parley-local',
    'npx --yes --package parley parley init',
    'npx --package ./other-1.0.0.tgz parley init',
    'npm exec parley -- send',
    'npm install parley aws-cdk-lib',
    'npm install --save-dev parley-local',
    'npm i parley@0.1.0',
    'pnpm add parley',
    'yarn dlx parley init',
  ])('would be found: %s', (command) => {
    expect(unsafeCommands(`Run "${command}".`)).toHaveLength(1);
  });

  it.each([
    'npx --no -- parley send',
    'npx --no -- parley-local --port 4000',
    'npx --yes --package @parleyhq/parley parley init',
    `npx --yes --package ../parley/dist/${TARBALLS[0]} parley init`,
    'npm install --save-exact @parleyhq/parley@0.1.0',
    'npx cdk deploy Parley-dev',
    'npm install',
  ])('may be written: %s', (command) => {
    expect(unsafeCommands(`Run "${command}".`)).toEqual([]);
  });
});
