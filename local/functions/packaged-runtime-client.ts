import { fileURLToPath } from 'node:url';

/**
 * Returns the path of the runtime client that was bundled when the package was built. In the package, `#runtime-client` is
 * this module; in the repository, it is `bundled-runtime-client.ts`.
 */
export const runtimeClientFile = async (_folder: string): Promise<string> =>
  fileURLToPath(new URL('../../built/runtime-client.mjs', import.meta.url));
