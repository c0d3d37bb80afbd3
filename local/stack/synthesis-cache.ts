import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, hostname, userInfo } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { parseJson } from '../base/json.ts';
import type { CdkApp } from './cdk-app.ts';
import { changedAt, type InputKind, inputState, isInTree, treeState } from './input-state.ts';

/** Preloaded into the app's process. In a package, it is JavaScript like this module. */
const RECORDER = pathToFileURL(join(import.meta.dirname, `input-recorder${extname(import.meta.filename)}`)).href;

/** The file that describes what an app was synthesized from. */
const INPUTS_FILE = 'inputs.json';

const outsideInput = z.object({ path: z.string(), kind: z.enum(['read', 'listed', 'copied']), state: z.string() });
const inputs = z.object({ key: z.string(), tree: z.string(), outside: z.array(outsideInput) });

/** What an app was synthesized from. */
type Inputs = Readonly<z.output<typeof inputs>>;

/** A line of a record. */
const recorded = z.tuple([z.enum(['module', 'read', 'listed', 'copied', 'unchecked']), z.string()]);

/** CDK's own cache, which it checks itself. */
const FINGERPRINTS = join(homedir(), '.cdk/cache/fingerprints');

/** Variables that describe the terminal and its command. All others are inputs, because an app may read any of them. */
const TERMINAL_VARIABLES =
  /^(?:_|npm_lifecycle_script|SHLVL|OLDPWD|COLORTERM|WINDOWID|TERM(?:_.*)?|SSH_.*|XDG_SESSION_.*|VSCODE_.*)$/;

export interface SynthesisCacheSettings {
  /** The folder of the kept result. */
  readonly folder: string;
  /** The folder for records, which must exist and be empty. */
  readonly recordFolder: string;
  /** The context that the app is synthesized with. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly environment: NodeJS.ProcessEnv;
  /** The name of a program that the app may start, because it reads only the app's folder. @default none */
  readonly allowedProgram?: string | undefined;
}

/** The kept result of a synthesis. */
export interface SynthesisCache {
  /** Returns the folder of the kept result, or undefined if it was synthesized from anything else. */
  readonly find: () => Promise<string | undefined>;
  /** The variables with which the app's processes record what they read. */
  readonly variables: Readonly<Record<string, string>>;
  /** Keeps a new result, if everything that it was synthesized from is known and has not changed in the meantime. */
  readonly keep: (outdir: string) => Promise<void>;
}

/** A command that starts Node.js and nothing else. */
const NODE_COMMAND = /^node [^;&|<>()$`\n]+$/;

/**
 * Opens the kept result of an app's synthesis. It is found again only if nothing has changed of what it was synthesized
 * from: the context, the environment variables, Node.js, the user, all files in the app's folder with its packages, and each file
 * elsewhere that it read or looked for. The time is no input.
 *
 * An app that starts other programs or uses the network depends on more than that, so its result is not kept; neither is
 * that of a command other than `node`.
 */
export const openSynthesisCache = (app: CdkApp, settings: SynthesisCacheSettings): SynthesisCache => {
  const { folder, recordFolder, context, environment, allowedProgram = '' } = settings;
  const isNode = NODE_COMMAND.test(app.command);
  const key = keyOf(app, context, environment);
  const tree = isNode ? treeState(app.folder) : '';
  const startedAt = Date.now();
  return {
    async find() {
      const text = await readFile(join(folder, INPUTS_FILE), 'utf8').catch(() => '');
      const { data } = inputs.safeParse(parseJson(text));
      if (!isNode || data?.key !== key || data.tree !== tree) return undefined;
      return data.outside.every(isSame) ? join(folder, 'cdk.out') : undefined;
    },
    variables: isNode
      ? {
          NODE_OPTIONS: `${environment.NODE_OPTIONS ?? ''} --import=${RECORDER}`.trim(),
          PARLEY_RECORD_FOLDER: recordFolder,
          PARLEY_RECORD_PROGRAM: allowedProgram,
        }
      : {},
    async keep(outdir) {
      if (!isNode) return;
      const outside = await outsideInputs(app, recordFolder, outdir);
      if (outside === undefined || outside.some((input) => changedAt(input) >= startedAt)) return;
      if (treeState(app.folder) === tree) await write(folder, outdir, { key, tree, outside });
    },
  };
};

const write = async (folder: string, outdir: string, from: Inputs): Promise<void> => {
  const next = `${folder}.new`;
  await rm(next, { recursive: true, force: true });
  await mkdir(next, { recursive: true });
  await cp(outdir, join(next, 'cdk.out'), { recursive: true });
  await writeFile(join(next, INPUTS_FILE), JSON.stringify(from));
  // Removes no folder of another program.
  if (existsSync(folder)) await rm(join(folder, INPUTS_FILE));
  await rm(folder, { recursive: true, force: true });
  await rename(next, folder);
};

/** Source: https://nodejs.org/api/process.html: `versions` has those of everything that is built into Node.js. */
const keyOf = ({ command, folder }: CdkApp, context: object, environment: NodeJS.ProcessEnv): string => {
  const variables = Object.entries(environment)
    .filter(([name]) => !TERMINAL_VARIABLES.test(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const { versions, platform, arch, execPath } = process;
  const fixed = [
    command,
    folder,
    context,
    variables,
    versions,
    platform,
    arch,
    execPath,
    hostname(),
    userInfo().username,
  ];
  return createHash('sha256').update(JSON.stringify(fixed)).digest('hex');
};

const isSame = ({ path, kind, state }: Inputs['outside'][number]): boolean => inputState(path, kind) === state;

/** Returns the inputs outside the app's folder, or undefined if not all are known. */
const outsideInputs = async (
  app: CdkApp,
  recordFolder: string,
  outdir: string,
): Promise<Inputs['outside'] | undefined> => {
  const texts = await Promise.all(
    (await readdir(recordFolder)).map((name) => readFile(join(recordFolder, name), 'utf8')),
  );
  const lines = texts.flatMap((text) => text.trim().split('\n'));
  const all = lines.map((line) => recorded.parse(parseJson(line)));
  const pathsOf = (kind: (typeof all)[number][0]) => all.filter((one) => one[0] === kind).map(([, path]) => path);
  if (all.length === 0 || pathsOf('unchecked').length > 0) return undefined;
  const isOutside = (path: string): boolean =>
    !isInTree(app.folder, path) &&
    ![outdir, recordFolder, FINGERPRINTS].some((own) => `${path}/`.startsWith(`${own}/`));
  const modules = pathsOf('module').filter(isOutside);
  const manifests = foldersAbove(modules).map((folder) => join(folder, 'package.json'));
  const stateOf = (kind: InputKind, paths: readonly string[]) =>
    [...new Set(paths)].filter(isOutside).map((path) => ({ path, kind, state: inputState(path, kind) }));
  return [
    ...stateOf('read', [...pathsOf('read'), ...modules, ...manifests]),
    // A new file can be found instead of one that is there.
    ...stateOf('listed', [...pathsOf('listed'), ...modules.map(dirname)]),
    ...stateOf('copied', pathsOf('copied')),
  ];
};

/** Returns every folder that contains one of the modules, directly or not: a package.json in it decides how it is read. */
const foldersAbove = (modules: readonly string[]): readonly string[] => {
  const folders = new Set<string>();
  for (const module of modules) {
    for (let folder = dirname(module); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  }
  return [...folders];
};
