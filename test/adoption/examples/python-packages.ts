import { join } from 'node:path';
import { install, missingTool } from './tools.ts';

const PYTHON = 'Install Python 3.10 or later with its module venv, on Debian and Ubuntu: apt-get install python3-venv.';

/**
 * Installs packages into a virtual environment in a folder. Returns its Python, or a sentence if Python is missing or
 * the registry cannot be reached.
 *
 * @param requirements a file that lists the packages by hash
 */
export const installPythonPackages = async (
  folder: string,
  requirements: string,
): Promise<{ readonly python: string } | string> => {
  const missing = await missingTool([
    {
      command: 'python3',
      check: ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'],
      missing: `python3 is missing. ${PYTHON}`,
    },
  ]);
  if (missing !== undefined) return missing;
  const at = { cwd: folder, registry: 'the Python Package Index' };
  await install('python3', ['-m', 'venv', '.venv'], at);
  const python = join(folder, '.venv/bin/python');
  const pip = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--only-binary', ':all:'];
  return (await install(python, [...pip, '-r', requirements], at)) ?? { python };
};
