import { runChaos } from './chaos.ts';
import { ChaosOptionError, HELP, readChaosOptions } from './chaos-options.ts';
import { describeRun, isPassed } from './report.ts';

/** `npm run chaos`. Exits with 0 only if every check passes, and with 2 if an option is invalid. */
try {
  const options = readChaosOptions(process.argv.slice(2), Math.random);
  if (options === undefined) console.log(HELP);
  else {
    console.log(`Seed: ${options.seed}`);
    const run = await runChaos(options, { onProgress: (what) => console.log(what) });
    console.log(describeRun(run));
    process.exitCode = isPassed(run) ? 0 : 1;
  }
} catch (error) {
  if (!(error instanceof ChaosOptionError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
