import { run } from './run.ts';

const stop = new AbortController();
// The first signal stops the command cleanly. A second one ends the process.
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

process.exitCode = await run({
  args: process.argv.slice(2),
  environment: process.env,
  stdin: process.stdin,
  print: (text) => process.stdout.write(text.endsWith('\n') ? text : `${text}\n`),
  say: (line) => process.stderr.write(`${line}\n`),
  stop: stop.signal,
  root: process.cwd(),
  columns: process.stdout.columns,
  isStderrTerminal: process.stderr.isTTY,
});
// Open standard input would keep the process running.
process.stdin.unref?.();
