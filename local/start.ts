import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { printableLines } from '../sandbox/base/terminal-text.ts';
import { messageOf } from './base/local-error.ts';
import { startLocal } from './cloud/local-cloud.ts';
import { checkStateFolder, removeLocalState, writeLocalState } from './cloud/local-state.ts';
import { HELP, readStartOptions, type StartOptions } from './start-options.ts';
import { readyMessage } from './start-output.ts';

const run = async (options: StartOptions): Promise<void> => {
  const { stage, stackName, chatServiceUrl, port, eventFormat, allowedHosts, verbose, open, stateFolder } = options;
  const shutdown = shutdownSignal(process.env);
  await checkStateFolder(stateFolder);
  console.log('Starting Parley:');
  await using cloud = await startLocal({
    onStep: (step) => console.log(printableLines(`  ${step}...`)),
    stage,
    stackName,
    chatServiceUrl,
    port,
    eventFormat,
    allowedHosts,
    logFolder: join(stateFolder, 'logs'),
    echo: verbose ? process.stdout : undefined,
  });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => removeLocalState(cloud, stateFolder));
  await writeLocalState(cloud, stateFolder);
  console.log(printableLines(readyMessage(cloud)));
  if (open && cloud.consoleUrl) openBrowser(cloud.consoleUrl);
  await shutdown;
};

const PARENT_POLL_MS = 250;

/**
 * Resolves when the run should end: on Ctrl-C, on a signal, or when npm has exited.
 *
 * npm sends SIGTERM only to the shell that it started, which exits without forwarding the signal. So a run started by
 * npm watches its parent process. Any other run does not, so that it can continue in the background.
 */
const shutdownSignal = (environment: NodeJS.ProcessEnv): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
    if (environment.npm_lifecycle_event === undefined) return;
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve();
    }, PARENT_POLL_MS);
    timer.unref();
  });

/** The command that opens a URL in the default browser, by platform. Other platforms use `xdg-open`. */
const BROWSER_COMMANDS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

const openBrowser = (url: string): void => {
  const [command, ...args] = BROWSER_COMMANDS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => console.error(`Could not open the browser with ${command}. Open ${url} yourself.`));
  child.unref();
};

try {
  const options = readStartOptions(process.argv.slice(2), process.env);
  if (options.help) console.log(HELP);
  else await run(options);
} catch (error) {
  console.error(printableLines(messageOf(error)));
  process.exitCode = 1;
}
