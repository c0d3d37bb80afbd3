import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

/** The command that opens a URL in the default browser, by platform. Other platforms use `xdg-open`. */
const COMMANDS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** A command that still runs after this time has started a browser, which keeps it running. */
const PATIENCE_MS = 3_000;

/**
 * Opens a URL in the default browser.
 *
 * @returns a sentence that says what was opened with which command, or what to do instead.
 */
export const openBrowser = async (url: string): Promise<string> => {
  const [command, ...args] = COMMANDS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.unref();
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', () => resolve(`${command} is not installed`));
    child.once('exit', (code) => resolve(code === 0 ? undefined : `${command} failed`));
  });
  const failure = await Promise.race([ended, pause(PATIENCE_MS, undefined, { ref: false })]);
  return failure === undefined
    ? `Opened ${url} with ${command}.`
    : `No browser was opened, because ${failure}. Open ${url} yourself.`;
};
