import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describePrograms } from './describe-programs.ts';
import { install, missingTool } from './tools.ts';

const SOURCE = join(import.meta.dirname, '../../../examples/python');
const PYTHON = 'Install Python 3.10 or later with its module venv, on Debian and Ubuntu: apt-get install python3-venv.';

describePrograms({
  language: 'Python',
  databaseIn: (folder) => join(folder, 'parley.db'),
  queryArguments: (database, sql) => [database, sql],
  exitCodeOnSigterm: 0,
  prepare: async (folder) => {
    const missing = await missingTool([
      {
        command: 'python3',
        check: ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'],
        missing: `python3 is missing. ${PYTHON}`,
      },
    ]);
    if (missing !== undefined) return missing;
    const cwd = join(folder, 'python');
    await cp(SOURCE, cwd, { recursive: true });
    const registry = 'the Python Package Index';
    await install('python3', ['-m', 'venv', '.venv'], { cwd, registry });
    const pip = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--only-binary', ':all:'];
    const python = join(cwd, '.venv/bin/python');
    const unreachable = await install(python, [...pip, '-r', 'requirements.txt'], { cwd, registry });
    if (unreachable !== undefined) return unreachable;
    const program = (name: string) => ({ command: python, args: ['-W', 'error', `${name}.py`], cwd });
    return {
      send: program('send'),
      sendBatch: program('send_batch'),
      manage: program('manage'),
      consume: program('consume'),
      query: {
        command: python,
        args: ['-c', 'import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute(sys.argv[2]))'],
        cwd,
      },
    };
  },
});
