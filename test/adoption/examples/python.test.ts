import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describePrograms } from './describe-programs.ts';
import { installPythonPackages } from './python-packages.ts';

const SOURCE = join(import.meta.dirname, '../../../examples/python');

describePrograms({
  language: 'Python',
  databaseIn: (folder) => join(folder, 'parley.db'),
  queryArguments: (database, sql) => [database, sql],
  exitCodeOnSigterm: 0,
  prepare: async (folder) => {
    const cwd = join(folder, 'python');
    await cp(SOURCE, cwd, { recursive: true });
    const installed = await installPythonPackages(cwd, 'requirements.txt');
    if (typeof installed === 'string') return installed;
    const { python } = installed;
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
