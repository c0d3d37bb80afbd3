import { spawn } from 'node:child_process';

/** What opens an address in the person's own browser. */
const COMMANDS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens an address in the browser; where that fails, `warn` gets a sentence and the run goes on. */
export const openBrowser = (url: string, warn: (message: string) => void): void => {
  const [command, ...args] = COMMANDS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => warn(`No browser could be opened by ${command}; open ${url} yourself.`));
  child.unref();
};
