import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

/** Builds and packs both packages, like `npm run pack`, into a folder. */
export const packPackages = async (folder: string): Promise<void> => {
  await promisify(execFile)(process.execPath, [join(ROOT, 'build/build.ts'), '--pack', '--out', folder], { cwd: ROOT });
};

/**
 * The registry's state that the tests install from, so that neither a release that a mirror has only in part nor a new
 * deprecation fails them. Later than every version that package.json pins: move it when you update one.
 */
export const REGISTRY_DATE = '2026-11-18';

/** The variables with which npm and Node.js reach the network. */
const NETWORK = /^(https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_file|npm_config_(registry|cafile|cache))$/i;

/** Returns a new user's environment: an empty home folder, and nothing of the repository except its Node.js. */
export const newUserEnvironment = (home: string, nodeFolder: string): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => NETWORK.test(name))),
  // npm's cache, if it is where npm creates it, saves the download of the packages that were downloaded before.
  npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? home, '.npm'),
  npm_config_before: REGISTRY_DATE,
  npm_config_update_notifier: 'false',
  HOME: home,
  PATH: [nodeFolder, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
});
