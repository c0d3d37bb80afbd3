import { EXIT } from './base/errors.ts';
import { run } from './run.ts';

const stop = new AbortController();
// The first signal stops the command cleanly. A second one ends the process.
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

// A program such as head closes the output when it has read enough. The command ends without writing the rest.
let isClosed = false;
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isClosed ||= output === process.stdout;
  });
}
process.once('exit', () => {
  if (isClosed) process.exitCode = EXIT.outputClosed;
});

process.exitCode = await run({
  args: process.argv.slice(2),
  environment: process.env,
  stdin: process.stdin,
  print: (text) => process.stdout.write(text.endsWith('\n') ? text : `${text}\n`),
  say: (line) => process.stderr.write(`${line}\n`),
  stop: stop.signal,
  root: process.cwd(),
  columns: process.stdout.columns,
  ...(process.stderr.isTTY && { progressTerminal: process.stderr }),
});
// Open standard input would keep the process running.
process.stdin.unref?.();
