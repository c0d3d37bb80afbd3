import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

/**
 * Loads modules of Node.js as CommonJS does. An import from an ES module reads every export of the module, and so loads
 * `fetch` with `node:http`, which would double the time that the runtime client takes.
 */
const LAZY_BUILTINS: Plugin = {
  name: 'lazy-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'builtin' }));
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/**
 * Bundles the runtime client into one JavaScript file and returns its path. Stripping the types in each process instead
 * would make cold starts a third slower.
 */
export const runtimeClientFile = async (folder: string): Promise<string> => {
  const outfile = join(folder, 'runtime-client.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('./runtime-client.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    plugins: [LAZY_BUILTINS],
    logLevel: 'silent',
  });
  return outfile;
};
