import { printableLines } from '../sandbox/base/terminal-text.ts';
import { createDeployedHost } from './deployed-host.ts';
import { createLocalHost } from './local-host.ts';
import { createSmokeId, haveSucceeded, playSmoke } from './play-smoke.ts';
import { HELP, readSmokeOptions, SmokeError } from './smoke-options.ts';
import { SMOKE_STEPS } from './smoke-steps.ts';

/** `npm run smoke`: exits with 0 only if every step succeeded and nothing is left. */
const run = async (args: readonly string[]): Promise<boolean> => {
  const options = readSmokeOptions(args);
  const print = (line: string) => console.log(printableLines(line));
  if (options.kind === 'help') {
    console.log(HELP);
    return true;
  }
  const id = createSmokeId();
  if (options.kind === 'local') {
    return haveSucceeded(await playSmoke(createLocalHost({ id, ...options }), SMOKE_STEPS, { id, print, keep: false }));
  }
  const { keep } = options;
  return haveSucceeded(await playSmoke(createDeployedHost(options, id), SMOKE_STEPS, { id, print, keep }));
};

try {
  if (!(await run(process.argv.slice(2)))) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof SmokeError)) throw error;
  console.error(printableLines(error.message));
  process.exitCode = 1;
}
