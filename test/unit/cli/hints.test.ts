import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nextPage, quote } from '../../../cli/base/command.ts';
import { withTarget } from '../../../cli/base/target.ts';
import { createTestProgram, parseCommandLine } from '../../support/parse-command-line.ts';

// Every command that a message names can be pasted as it is: it exists, and it selects the same target.

const FOLDER = join(import.meta.dirname, '../../../cli');
// The files of a new app name a target themselves; the test of `init` checks them.
const SOURCES = globSync('**/*.ts', { cwd: FOLDER, exclude: ['init/**'] }).map((name) => ({
  name,
  // Without comments, descriptions, and the examples of the help, which name a target of their own.
  code: readFileSync(join(FOLDER, name), 'utf8')
    .replace(/\/\*\*?[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
    .replace(/examples\((?:[^()]|\([^()]*\))*\)/g, ''),
}));

/** These need no target. */
const WITHOUT_TARGET = / --(help|list-laws)\b/;

/** Each command that a string names, up to the end of the string. */
const NAMED = /(?<before>commandFor\(\s*['"`])?\bparley (?<command>[a-z][^'"`\n]*)/g;

const commandsIn = (code: string) =>
  [...code.matchAll(NAMED)].map(({ groups = {} }) => ({
    isCompleted: groups.before !== undefined,
    command: String(groups.command),
  }));

const hints = SOURCES.flatMap(({ name, code }) => commandsIn(code).map((hint) => ({ name, ...hint })));
const NAMES = new Set(createTestProgram().commands.map((command) => command.name()));
const named = hints.filter(({ command }) => NAMES.has(command.split(' ')[0] ?? ''));

const parse = (line: string) =>
  parseCommandLine([...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ''));

/** The variables in commands that cannot have any value. `code` is an option that can be missing. */
const VALUES: Readonly<Record<string, string>> = { name: 'send', 'most.state': 'refused', code: '' };

describe('a command that a message names', () => {
  it('is found in the sources', () => {
    expect(named.length).toBeGreaterThan(8);
  });

  it.each(named.filter(({ command }) => !WITHOUT_TARGET.test(command)))(
    'selects the same target: parley $command ($name)',
    ({ isCompleted }) => {
      expect(isCompleted).toBe(true);
    },
  );

  it.each(named.filter(({ isCompleted }) => isCompleted))('is valid: parley $command ($name)', async ({ command }) => {
    const line = command.replace(/\$\{([\w.]+)[^}]*\}/g, (_, variable) => VALUES[variable] ?? 'value');
    await parse(withTarget(line, { local: true }));
    await parse(withTarget(line, { stage: 'prod', region: 'eu-west-1' }));
  });

  it('is found if it lacks its target, or does not exist', async () => {
    expect(commandsIn("say('See parley status x.')")).toEqual([{ isCompleted: false, command: 'status x.' }]);
    expect(commandsIn('commandFor(`parley status ${id}`)')).toEqual([{ isCompleted: true, command: 'status ${id}' }]);
    await expect(parse('statuses x --local')).rejects.toThrow();
  });
});

describe('an argument of such a command', () => {
  it.each([
    ['order-17', 'order-17'],
    ['+5491150000001', '+5491150000001'],
    ['what?is/this&that=1', "'what?is/this&that=1'"],
    ['${HOME} `ls`', "'${HOME} `ls`'"],
    ["Ana's", "'Ana'\\''s'"],
    ['', "''"],
  ])('is quoted if a shell would change it: %j', (argument, quoted) => {
    expect(quote(argument)).toBe(quoted);
  });
});

describe('the next page of a list', () => {
  const commandFor = (command: string) => withTarget(command, { local: true });

  it('is named with every option of the list', () => {
    expect(
      nextPage(commandFor, ['conversation', 'user 1'], { limit: '20', channel: undefined, cursor: 'eyJ9' }),
    ).toEqual(["Next page: parley conversation 'user 1' --limit 20 --cursor eyJ9 --local"]);
  });

  it('is not named on the last one', () => {
    expect(nextPage(commandFor, ['conversation', 'x'], { cursor: undefined })).toEqual([]);
  });

  it('is never named without its command', () => {
    expect(SOURCES.filter(({ code }) => /`Next page: --/.test(code)).map(({ name }) => name)).toEqual([]);
  });
});
