/**
 * Runs a program until it exits or until standard input closes because the run that started the guard has ended.
 *
 * Arguments: a folder to remove at the end, the program, and its arguments.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const [folder = '', command = '', ...parameters] = process.argv.slice(2);
const child = spawn(command, parameters, { stdio: ['ignore', 'ignore', 'inherit'] });
let isRunOver = false;

child.on('error', (error) => {
  process.stderr.write(error.message);
  process.exit(1);
});
child.on('exit', () => {
  // If the program exits first, the run continues and still needs the folder.
  if (isRunOver) rmSync(folder, { recursive: true, force: true });
  process.exit();
});
process.stdin
  // The run sends the name of a signal to pause or resume the program.
  .on('data', (signal) => child.kill(String(signal).trim() === 'SIGSTOP' ? 'SIGSTOP' : 'SIGCONT'))
  .on('end', () => {
    isRunOver = true;
    child.kill('SIGKILL');
  })
  .resume();
