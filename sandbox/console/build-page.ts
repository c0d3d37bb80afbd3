import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Builds the console's page and writes its files to standard output, as JSON from path to text. */
const output = await build({
  configFile: false,
  root: fileURLToPath(new URL('./page', import.meta.url)),
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: { write: false, target: 'es2023', modulePreload: false, assetsInlineLimit: 0 },
});
const [result] = [output].flat();
if (result === undefined || !('output' in result)) throw new Error('Vite did not build the page.');

const files: Record<string, string> = {};
for (const file of result.output) {
  const text = file.type === 'chunk' ? file.code : file.source;
  files[`/${file.fileName}`] = typeof text === 'string' ? text : new TextDecoder().decode(text);
}
process.stdout.write(JSON.stringify(files));
