import { CliError } from '../cli/base/errors.ts';
import { printableLines } from '../sandbox/base/terminal-text.ts';
import { createDeployedHost } from './deployed-host.ts';
import { createLocalHost } from './local-host.ts';
import { cleanUp, runMatrix } from './matrix/run-matrix.ts';
import { createSmokeId, haveSucceeded, playSmoke } from './play-smoke.ts';
import { HELP, readSmokeOptions, SmokeError } from './smoke-options.ts';
import { SMOKE_STEPS } from './smoke-steps.ts';

/** `npm run smoke`: returns whether every step succeeded and nothing is left. */
const run = async (args: readonly string[]): Promise<boolean> => {
  const options = readSmokeOptions(args);
  const print = (line: string) => console.log(printableLines(line));
  const id = createSmokeId();
  switch (options.kind) {
    case 'help':
      print(HELP);
      return true;
    case 'matrix':
      return runMatrix(options, { stdin: process.stdin, print });
    case 'clean':
      return cleanUp(options, { stdin: process.stdin, print });
    case 'local': {
      const host = createLocalHost({ id, ...options });
      return haveSucceeded(await playSmoke(host, SMOKE_STEPS, { id, print, keep: false }));
    }
    case 'deployed': {
      const { keep } = options;
      return haveSucceeded(await playSmoke(createDeployedHost(options, id), SMOKE_STEPS, { id, print, keep }));
    }
  }
};

try {
  if (!(await run(process.argv.slice(2)))) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof SmokeError || error instanceof CliError)) throw error;
  console.error(printableLines(error.message));
  process.exitCode = 1;
}
