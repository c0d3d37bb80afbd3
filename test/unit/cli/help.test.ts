import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import { formatPace } from '../../../cli/base/progress.ts';
import { isRunnable } from '../../../cli/program.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { createTestProgram, parseCommandLine } from '../../support/parse-command-line.ts';
import { runCommandLine } from '../../support/run-parley.ts';

const pathOf = (command: CommandUnknownOpts): string[] =>
  command.parent ? [...pathOf(command.parent), command.name()] : [];

const runnable = (command: CommandUnknownOpts): readonly CommandUnknownOpts[] => [
  ...(isRunnable(command) ? [command] : []),
  ...command.commands.flatMap(runnable),
];

const commandsIn = (command: CommandUnknownOpts): { name: string; description: string }[] =>
  runnable(command).map((each) => ({ name: pathOf(each).join(' '), description: each.description() }));

const COMMANDS = commandsIn(createTestProgram());

const parse = async (args: readonly string[]) => {
  const command = await parseCommandLine(args);
  return { name: pathOf(command).join(' '), args: command.args, options: command.optsWithGlobals() };
};

describe('the business number', () => {
  it.each(runnable(createTestProgram()).map((command) => [pathOf(command).join(' '), command] as const))(
    'can be named wherever a contact is, and only there: %s',
    (name, { registeredArguments, options }) => {
      const namesContact =
        registeredArguments.some((argument) => argument.name() === 'contact') ||
        ['broadcast', 'contacts check', 'contacts list', 'sends list'].includes(name);
      // The scan finds what is stored with any number.
      const isForAllNumbers = name === 'erasure-scan';
      expect(options.some(({ long }) => long === '--channel')).toBe(namesContact && !isForAllNumbers);
    },
  );
});

const help = async (args: readonly string[]) => {
  const { code, out, err } = await runCommandLine(args, { columns: 120 });
  expect(err).toBe('');
  return { code, text: out };
};

describe('the help', () => {
  it('lists every command and the exit codes', async () => {
    const { code, text } = await help(['--help']);
    for (const { name, description } of COMMANDS) {
      const [summary = ''] = description.split('\n');
      expect(text).toContain(`${name.padEnd(23)}  ${summary.replace(/\.$/, '')}`);
    }
    expect(text).toContain('130  Interrupted by Ctrl-C');
    expect(code).toBe(0);
  });

  it('is printed without a command, as a usage error', async () => {
    expect(await help([])).toEqual({ ...(await help(['--help'])), code: 2 });
  });

  it('of a group lists its commands', async () => {
    const { code, text } = await help(['sends', '--help']);
    expect(code).toBe(0);
    expect(text).toMatch(/^ {2}sends list +List .*\n {2}sends resolve +Record /m);
  });

  it.each(COMMANDS.map(({ name }) => name))('of %s has an example that is a valid command line', async (name) => {
    const { code, text } = await help([...name.split(' '), '--help']);
    expect(code).toBe(0);
    expect(text).toContain(`Usage: parley ${name}`);
    const examples = text.split('\n').filter((line) => line.startsWith('  $ '));
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const [, line = ''] = /parley ((?:[^|<"']|"[^"]*"|'[^']*')*)/.exec(example) ?? [];
      const args = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
        (match) => match[1] ?? match[2] ?? match[3] ?? '',
      );
      expect(await parse(args)).toMatchObject({ name });
    }
  });

  it('is printed by the launcher, whichever Node.js runs it', () => {
    const launcher = join(import.meta.dirname, '../../../cli/parley.js');
    const env = { ...process.env, PATH: '/usr/local/bin:/usr/bin:/bin' };
    expect(execFileSync(launcher, ['status', '--help'], { env }).toString()).toContain(
      'Usage: parley status [options] <request-id>',
    );
  });
});

describe('the version', () => {
  it('is that of the package', async () => {
    expect(await help(['--version'])).toEqual({ code: 0, text: `${packageJson.version}\n` });
  });
});

describe('the command line', () => {
  it.each([
    [['--stage', 'prod', 'status', 'x']],
    [['status', '--stage', 'prod', 'x']],
    [['status', 'x', '--stage=prod']],
  ])('takes common options before or after the command: %j', async (args) => {
    expect(await parse(args)).toEqual({ name: 'status', args: ['x'], options: { stage: 'prod' } });
  });

  it('takes --param more than once', async () => {
    const args = ['send', '+549', '--param', 'name=Ana', '--param', 'city=Rosario'];
    expect(await parse(args)).toMatchObject({ options: { param: { name: 'Ana', city: 'Rosario' } } });
  });
});

describe('the pace of a broadcast', () => {
  it('shows the rate since the start, and the time left', () => {
    expect(formatPace(4000, 6000, 5000, 'rows')).toBe('800 rows/s, 0:08 left');
    expect(formatPace(100, 59_900, 1000, 'rows')).toBe('100 rows/s, 9:59 left');
    expect(formatPace(0, 10, 0, 'rows')).toBe('');
  });
});
