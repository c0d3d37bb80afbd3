import { fileURLToPath } from 'node:url';
import { COMMANDS } from './commands.ts';
import { run } from './run.ts';

const stop = new AbortController();
// The first Ctrl-C ends in good order; the second one ends.
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

process.exitCode = await run(
  {
    args: process.argv.slice(2),
    environment: process.env,
    stdin: process.stdin,
    print: (text) => process.stdout.write(text.endsWith('\n') ? text : `${text}\n`),
    say: (line) => process.stderr.write(`${line}\n`),
    stop: stop.signal,
    root: fileURLToPath(new URL('..', import.meta.url)),
  },
  COMMANDS,
);
// Standard input may be open still.
process.stdin.unref?.();
