import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { createTestProgram, parseCommandLine } from '../../support/parse-command-line.ts';
import { PAGES, type Page, ROOT, readPage } from './markdown.ts';

/** npm's own commands that the documents use. */
const NPM_COMMANDS = ['ci', 'install', 'pack'];

/** The commands of the CDK's command line that the documents use. */
const CDK_COMMANDS = ['bootstrap', 'deploy', 'destroy', 'diff', 'synth'];

/** Programs that the documents assume. */
const OTHER_PROGRAMS = [
  'aws',
  'cd',
  'curl',
  'export',
  'gcloud',
  'git',
  'jq',
  'mkdir',
  'mvn',
  'output',
  'pip',
  'python3',
  'sha512sum',
  '}',
];

/** Splits a shell command into words. Knows quotes, but no variables: the documents quote what contains spaces. */
const words = (command: string): readonly string[] =>
  [...command.matchAll(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, '$1$2'),
  );

/** Returns the commands of a shell block, without comments, redirections, and variables before them. */
const commandsIn = (code: string): readonly string[] =>
  code
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .flatMap((line) => (/^(parley|npx|npm|mkdir) /.test(line) ? line.split(/ && | \| /) : [line]))
    .map((command) => command.replace(/^(?:[A-Z_]+=\S+ )+/, '').replace(/ [<>] ?\S+$/, ''))
    .filter(Boolean);

/** Returns what is wrong with `npm ...`, `npx ...`, and `node ...`, or undefined. */
const faultOf = async (command: string): Promise<string | undefined> => {
  const [program = '', ...args] = words(command);
  const [name = '', ...rest] = args.filter((arg) => !['--silent', '--no-save', '--omit=dev', '--yes'].includes(arg));
  switch (program) {
    case 'npm': {
      const script = name === 'run' ? (rest[0] ?? '') : name;
      if (script === 'parley' && rest[1] === '--') return faultOfParley(rest.slice(2));
      if (Object.hasOwn(packageJson.scripts, script) || (name !== 'run' && NPM_COMMANDS.includes(name)))
        return undefined;
      return `package.json has no script ${script}`;
    }
    case 'npx':
      if (name === '--no' && rest[1] === 'parley') return faultOfParley(rest.slice(2));
      if (name === 'vitest')
        return rest
          .filter((arg) => arg.startsWith('test/'))
          .map(faultOfFile)
          .find(Boolean);
      if (name === '--package') return faultOfParley(rest.slice(rest.indexOf('parley') + 1));
      return name === 'cdk' && CDK_COMMANDS.includes(rest[0] ?? '') ? undefined : `npx ${name} ${rest[0]} is unknown`;
    case 'node':
      return faultOfFile(name);
    case 'parley':
      return faultOfParley(args);
    default:
      return OTHER_PROGRAMS.includes(program.replace(/\(\)$/, '')) ? undefined : `${program} is unknown`;
  }
};

const faultOfFile = (file: string): string | undefined =>
  existsSync(join(ROOT, file)) ? undefined : `there is no ${file}`;

const faultOfParley = async (args: readonly string[]): Promise<string | undefined> => {
  if (args.includes('--help')) return undefined;
  try {
    await parseCommandLine(args);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.split('\n')[0] : String(error);
  }
};

/** Returns what is wrong with the shell blocks of a page. */
const faultsInBlocks = async ({ blocks }: Page): Promise<readonly string[]> => {
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ place, code }) => commandsIn(code).map((command) => ({ place, command })));
  const faults = await Promise.all(
    commands.map(async ({ place, command }) => {
      const fault = await faultOf(command);
      return fault === undefined ? [] : [`${place}: ${command}: ${fault}`];
    }),
  );
  return faults.flat();
};

/** Returns what is wrong with an invocation of `parley` in a sentence, which may lack its arguments. */
const faultOfMention = (args: readonly string[]): string | undefined => {
  let command: CommandUnknownOpts = createTestProgram();
  let isValue = false;
  for (const arg of args) {
    const next = command.commands.find((one) => one.name() === arg);
    if (isValue) {
      isValue = false;
    } else if (next !== undefined) {
      command = next;
    } else if (arg.startsWith('--')) {
      const long = arg.split('=')[0];
      const option = [command, createTestProgram()].flatMap(({ options }) => options).find((one) => one.long === long);
      if (!option && long !== '--help') return `${command.name()} has no option ${long}`;
      isValue = option?.required === true && !arg.includes('=');
    } else if (command.commands.length > 0 && /^[a-z-]+$/.test(arg)) {
      return `${command.name()} has no command ${arg}`;
    }
  }
  return undefined;
};

/** Returns what is wrong with the commands in the sentences of a page. */
const faultsInProse = ({ file, prose }: Page): readonly string[] =>
  [...prose.matchAll(/`((?:npm run |npm test|npm start|(?:npx --no -- )?parley )[^`]*)`/g)].flatMap(
    ([, mention = '']) => {
      const [program, ...args] = words(mention.replaceAll(/\s+/g, ' '));
      const fault =
        program === 'npm'
          ? faultOfScript(args.filter((arg) => arg !== '--silent'))
          : faultOfMention(program === 'npx' ? args.slice(args.indexOf('parley') + 1) : args);
      return fault === undefined ? [] : [`${file}: ${mention}: ${fault}`];
    },
  );

const faultOfScript = ([first = '', second = '', , ...rest]: readonly string[]): string | undefined => {
  const script = first === 'run' ? second : first;
  if (script === 'parley') return faultOfMention(rest);
  return Object.hasOwn(packageJson.scripts, script) ? undefined : `package.json has no script ${script}`;
};

describe('the commands in the documents', () => {
  it('exist, and have the arguments and options that they need', async () => {
    expect((await Promise.all(PAGES.map(faultsInBlocks))).flat()).toEqual([]);
  });

  it('exist where a sentence mentions them', () => {
    expect(PAGES.flatMap(faultsInProse)).toEqual([]);
  });
});

describe('the check of commands', () => {
  it.each([
    ['npm run smok', 'has no script smok'],
    ['npm run parley -- dead-letter list', ''],
    ['parley sends lists --stage prod', ''],
    ['parley cancel --stage prod', ''],
    ['parley doctor --stages prod', ''],
    ['npx cdk deplo', 'cdk deplo is unknown'],
    ['npx vitest run --project unit test/unit/cly', 'there is no test/unit/cly'],
    ['node local/demos.ts', 'there is no local/demos.ts'],
  ])('finds the fault of %s', async (command, fault) => {
    const page = readPage('README.md', `\`\`\`sh\n${command}\n\`\`\`\n`);
    expect(await faultsInBlocks(page)).toEqual([expect.stringContaining(fault)]);
  });

  it.each(['npm run smok', 'parley dead-letter list', 'parley doctor --stages prod', 'npm run parley -- docto'])(
    'finds the fault of %s in a sentence',
    (command) => {
      expect(faultsInProse(readPage('README.md', `Run \`${command}\`.`))).toHaveLength(1);
    },
  );
});
