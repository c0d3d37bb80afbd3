import { constants } from 'node:fs';
import { access, copyFile, lstat, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { type CreateCommand, examples, quote } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { appFiles, TARBALL_FOLDER, TARBALLS } from '../init/app-files.ts';
import {
  authOption,
  baseUrlOption,
  contactCheckPathOption,
  envelopeOption,
  headerOption,
  numberFormatOption,
  numberOption,
  platformOption,
} from '../init/init-options.ts';
import { newStages, placeholdersIn } from '../init/stages.ts';

/** Creates `init`. */
export const createInitCommand: CreateCommand = ({ report }) =>
  new Command('init')
    .description(
      'Create a CDK app that deploys Parley.\n\n' +
        'The app has the stages dev and prod, runs on your machine with npm start, and has a workflow that deploys it ' +
        'from GitHub. Without options, its settings are placeholders, which the local run accepts and prod rejects. ' +
        'Existing files are never overwritten.',
    )
    .argument('[folder]', 'Folder of the new app', '.')
    .addOption(numberOption())
    .addOption(platformOption())
    .addOption(baseUrlOption())
    .addOption(contactCheckPathOption())
    .addOption(numberFormatOption())
    .addOption(authOption())
    .option('--audience <text>', 'pubsub-jwt: audience of the tokens (default: a placeholder)')
    .option('--service-account-email <email>', 'pubsub-jwt: service account of the tokens')
    .addOption(headerOption())
    .option('--topic-arn <arn>', 'sns: ARN of the topic that delivers the events')
    .addOption(envelopeOption())
    .option('--tarballs <folder>', `Install Parley from ${TARBALLS.join(' and ')} in this folder, not a registry`)
    .addHelpText(
      'after',
      examples(
        'parley init my-app',
        'parley init --number +5491144440000 --base-url https://chat.bank.internal --auth standard-webhooks',
        'parley init my-app --auth shared-token --number-format digits',
      ),
    )
    .action(async (path, { tarballs, ...options }) => {
      const folder = resolve(path);
      refuseNodeModules(folder);
      const stages = newStages(options);
      const files = appFiles({ name: basename(folder), stages, hasTarballs: tarballs !== undefined });
      const copies = await findTarballs(tarballs);
      await refuseExisting(folder, [...files.keys(), ...copies.keys()]);
      for (const [file, text] of files) await createFile(join(folder, file), (target) => write(target, text));
      for (const [file, source] of copies) await createFile(join(folder, file), (target) => copy(source, target));
      const placeholders = placeholdersIn(stages);
      const written = [...files.keys(), ...copies.keys()];
      report({
        lines: [
          `Created a CDK app in ${folder}:`,
          ...indented(written),
          '',
          ...nextSteps(folder, placeholders),
          ...(tarballs === undefined ? NOT_PUBLISHED : []),
        ],
        json: { folder, files: written, placeholders },
      });
    });

const NOT_PUBLISHED = [
  '',
  "Parley's packages are not on npm's public registry yet. Before npm install, name a registry that has them in .npmrc, or",
  'create the app again with --tarballs in another folder.',
];

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

/** Returns the tarballs to copy, by their path in the new app. */
const findTarballs = async (folder: string | undefined): Promise<ReadonlyMap<string, string>> => {
  if (folder === undefined) return new Map();
  const sources = new Map(TARBALLS.map((file) => [`${TARBALL_FOLDER}/${file}`, resolve(folder, file)]));
  for (const source of sources.values()) {
    if (await exists(source)) continue;
    throw new CliError(EXIT.usage, `${source} does not exist. Create it with npm run pack in Parley's repository.`);
  }
  return sources;
};

/** npm deletes what it did not install there, and Node.js does not run TypeScript there. */
const refuseNodeModules = (folder: string): void => {
  if (!folder.split(sep).includes('node_modules')) return;
  throw new CliError(EXIT.refused, `${folder} is in a node_modules folder, which npm manages. Use another folder.`);
};

const refuseExisting = async (folder: string, files: readonly string[]): Promise<void> => {
  const found: string[] = [];
  for (const file of files) if (!(await isFree(join(folder, file)))) found.push(file);
  if (found.length === 0) return;
  throw new CliError(EXIT.refused, `${folder} already contains ${found.join(', ')}. Use an empty folder.`);
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Whether a file can be created: neither a file, a broken link, nor a file in place of its folder is in the way. */
const isFree = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => false,
    (error: unknown) => !(error instanceof Error && 'code' in error && error.code === 'ENOTDIR'),
  );

const createFile = async (path: string, create: (path: string) => Promise<void>): Promise<void> => {
  try {
    await mkdir(dirname(path), { recursive: true });
    await create(path);
  } catch (error) {
    throw new CliError(EXIT.failed, `Cannot create ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
};

const write = (path: string, text: string): Promise<void> => writeFile(path, text, { flag: 'wx' });

const copy = (source: string, path: string): Promise<void> => copyFile(source, path, constants.COPYFILE_EXCL);

/** Shortens a fault to the setting and its value. */
const withoutReason = (fault: string): string => fault.replace(/: got (.*), expected .*/, ': $1');

const nextSteps = (folder: string, placeholders: readonly string[]): readonly string[] => {
  const path = relative(process.cwd(), folder);
  return [
    'What to do next:',
    ...indented([
      ...(path === '' ? [] : [`cd ${quote(path)}`]),
      'npm install',
      'npx cdk synth          print the template of the stage dev',
      'npm start -- --open    run it on this machine, with a sandbox of the chat service',
    ]),
    '',
    'README.md explains how to deploy it.',
    ...(placeholders.length === 0
      ? []
      : [
          'Before you deploy prod, replace its placeholders in cdk.json:',
          ...indented(placeholders.map(withoutReason)),
        ]),
  ];
};
