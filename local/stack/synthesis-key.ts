import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { inputFolders, inputState } from './app-inputs.ts';
import type { CdkApp } from './cdk-app.ts';

/** Options of Node.js that make it read no file. */
const OPTION =
  /^--(?:enable-source-maps|experimental-(?:strip|transform)-types|no-(?:deprecation|warnings)|disable-warning=\w+|max-old-space-size=\d+)$/;

/**
 * Variables that differ between commands, shells, or tabs of the usual terminals. All others are inputs, because an app
 * may read any of them.
 */
const TERMINAL_VARIABLES = new RegExp(
  `^(?:${[
    ['_', 'npm_lifecycle_script', 'SHLVL', 'OLDPWD'],
    ['COLORTERM', 'COLUMNS', 'LINES', 'WINDOWID', 'TERM(?:_.*)?'],
    ['SSH_.*', 'XDG_SESSION_.*', 'SECURITYSESSIONID', 'INVOCATION_ID', 'JOURNAL_STREAM', 'SYSTEMD_EXEC_PID'],
    ['TMUX(?:_.*)?', 'STY', 'WINDOW', 'VSCODE_.*'],
    ['GNOME_TERMINAL_.*', 'KONSOLE_.*', 'SHELL_SESSION_ID', 'TILIX_ID', 'TERMINATOR_UUID', 'ALACRITTY_.*'],
    ['ITERM_.*', 'KITTY_.*', 'WEZTERM_.*', 'WT_.*'],
  ]
    .flat()
    .join('|')})$`,
);

/**
 * Returns a value that changes with what an app is synthesized from: the context, the environment variables, Node.js, the
 * user, and all files in the app's folder with its packages. The time is not among them.
 *
 * Returns undefined for an app that depends on more from the start: one with another command than
 * `node [options] FILE`, and one whose folder cannot be read completely.
 */
export const synthesisKey = (
  { command, folder }: CdkApp,
  context: object,
  environment: NodeJS.ProcessEnv,
): string | undefined => {
  const files = inputState(inputFolders(folder));
  // Without a package.json, Node.js looks for one in the folders above.
  if (!isPlainNode(command, environment) || files === undefined || !existsSync(join(folder, 'package.json'))) return;
  const variables = Object.entries(environment)
    .filter(([name]) => !TERMINAL_VARIABLES.test(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  // Source: https://nodejs.org/api/process.html: `versions` has those of everything that is built into Node.js.
  const { versions, platform, arch, execPath } = process;
  const node = [versions, platform, arch, execPath];
  // The local run may be installed elsewhere.
  const ownFiles = inputState([import.meta.dirname]);
  const all = [command, folder, files, ownFiles, context, variables, node, hostname(), userInfo().username];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
};

const isPlainNode = (command: string, { NODE_OPTIONS = '' }: NodeJS.ProcessEnv): boolean => {
  const [program, ...words] = command.split(' ');
  const file = words.findIndex((word) => !word.startsWith('-'));
  const options = [...words.slice(0, file), ...NODE_OPTIONS.split(' ').filter(Boolean)];
  // A shell leaves such words as they are.
  const isPlain = words.every((word) => /^[\w./:=@-]+$/.test(word));
  return program === 'node' && file >= 0 && isPlain && options.every((option) => OPTION.test(option));
};
