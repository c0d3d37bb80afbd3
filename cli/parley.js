#!/usr/bin/env node
// Starts the command with Node.js 24, which runs TypeScript directly: this Node.js, or the one that npm installed here.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('./parley.ts', import.meta.url));
const installed = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
const [major] = process.versions.node.split('.').map(Number);

if (major >= 24) {
  await import(command);
} else if (existsSync(installed)) {
  const child = spawn(installed, [command, ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal sends Ctrl-C to both processes; the child decides how to stop.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
} else {
  console.error(
    `parley: Node.js ${process.versions.node} is too old. Install Node.js 24, or run npm ci in this repository.`,
  );
  process.exitCode = 5;
}
