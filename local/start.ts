import { join } from 'node:path';
import { printableLines } from '../sandbox/base/terminal-text.ts';
import { messageOf } from './base/local-error.ts';
import { choosePorts } from './base/local-ports.ts';
import { startLocal } from './cloud/local-cloud.ts';
import { prepareStateFolder, removeLocalState, writeLocalState } from './cloud/local-state.ts';
import { openBrowser } from './open-browser.ts';
import { listenForShutdown, type Shutdown } from './shutdown.ts';
import { HELP, readStartOptions, type StartOptions } from './start-options.ts';
import { readyMessage } from './start-output.ts';

const print = (text: string): void => console.log(printableLines(text));

/** Runs until it should end. @throws the signal's reason if that is before it has started. */
const run = async (options: StartOptions, { signal, requested }: Shutdown, onStep: (step: string) => void) => {
  const { stage, stackName, chatServiceUrl, eventFormat, allowedHosts, verbose, open, stateFolder } = options;
  await prepareStateFolder(stateFolder);
  const { ports, notices } = await choosePorts(options.port);
  print('Starting Parley:');
  await using cloud = await startLocal({
    onStep: (step) => {
      onStep(step);
      print(`  ${step}...`);
    },
    signal,
    stage,
    stackName,
    chatServiceUrl,
    ports,
    eventFormat,
    allowedHosts,
    hasEventsQueue: true,
    logFolder: join(stateFolder, 'logs'),
    cacheFolder: join(stateFolder, 'synthesized'),
    echo: verbose ? process.stdout : undefined,
  });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => removeLocalState(stateFolder));
  await writeLocalState(cloud, stateFolder);
  print(readyMessage(cloud, notices));
  if (open && cloud.consoleUrl) print(`\n${await openBrowser(cloud.consoleUrl)}`);
  await requested;
};

const main = async (): Promise<void> => {
  const options = readStartOptions(process.argv.slice(2), process.env);
  if (options.help) return print(HELP);
  const shutdown = listenForShutdown(process.env);
  let step = 'Starting';
  try {
    await run(options, shutdown, (next) => {
      step = next;
    });
  } catch (error) {
    if (!shutdown.signal.aborted) throw error;
    console.error(
      printableLines(`Interrupted while ${step.charAt(0).toLowerCase()}${step.slice(1)}. Nothing is left running.`),
    );
    process.exitCode = shutdown.exitCode();
  }
};

try {
  await main();
} catch (error) {
  console.error(printableLines(messageOf(error)));
  process.exitCode = 1;
}
