import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describePrograms } from './describe-programs.ts';
import { install, missingTool } from './tools.ts';

const SOURCE = join(import.meta.dirname, '../../../examples/java');
const SIGTERM = 15;

describePrograms({
  language: 'Java',
  databaseIn: (folder) => `jdbc:h2:${join(folder, 'parley')}`,
  queryArguments: (database, sql) => ['-url', database, '-sql', sql],
  exitCodeOnSigterm: 128 + SIGTERM,
  prepare: async (folder) => {
    const missing = await missingTool([
      {
        command: 'javac',
        check: ['--release', '17', '--version'],
        missing:
          'javac is missing. Install a JDK, 17 or later, on Debian and Ubuntu: apt-get install default-jdk-headless.',
      },
      {
        command: 'mvn',
        check: ['--version'],
        missing: 'mvn is missing. Install Maven 3.6.3 or later, on Debian and Ubuntu: apt-get install maven.',
      },
    ]);
    if (missing !== undefined) return missing;
    const cwd = join(folder, 'java');
    await cp(SOURCE, cwd, { recursive: true, filter: (path) => path !== join(SOURCE, 'target') });
    // Maven keeps what it downloads in ~/.m2, so that only the first run needs the registry.
    const unreachable = await install('mvn', ['--quiet', '--batch-mode', '--strict-checksums', 'compile'], {
      cwd,
      registry: 'Maven Central',
    });
    if (unreachable !== undefined) return unreachable;
    const program = (className: string) => ({
      command: 'java',
      args: ['-cp', 'target/classes:target/libraries/*', className],
      cwd,
    });
    return {
      send: program('parley.examples.Send'),
      sendBatch: program('parley.examples.SendBatch'),
      manage: program('parley.examples.Manage'),
      consume: program('parley.examples.Consume'),
      query: program('org.h2.tools.Shell'),
    };
  },
});
