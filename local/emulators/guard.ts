/**
 * Runs a program until it ends or until standard input does, which is when the run that started the guard is gone.
 *
 * Arguments: a folder to remove at the end, the program, its arguments.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const [folder = '', command = '', ...parameters] = process.argv.slice(2);
const child = spawn(command, parameters, { stdio: ['ignore', 'ignore', 'inherit'] });

child.on('error', (error) => {
  process.stderr.write(error.message);
  process.exit(1);
});
let over = false;
child.on('exit', () => {
  // A program that ended by itself leaves the folder to the run, which goes on in it.
  if (over) rmSync(folder, { recursive: true, force: true });
  process.exit();
});
process.stdin
  // The run may stop the program for a while and let it go on, by the name of a signal.
  .on('data', (signal) => child.kill(String(signal).trim() === 'SIGSTOP' ? 'SIGSTOP' : 'SIGCONT'))
  .on('end', () => {
    over = true;
    child.kill('SIGKILL');
  })
  .resume();
