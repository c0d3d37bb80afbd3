import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { packagesIn } from './reachable-code.ts';

/** The declarations that a package's users see. */
export interface Declarations {
  readonly files: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

/** A module's name in `from '…'`, `import '…'`, or `import('…')`. */
const SPECIFIER = /(?<=\b(?:from|import)\s*\(?\s*)(['"])([^'"\n]+)\1/g;

/**
 * Follows the imports of declarations from a package's exports, and rewrites their relative imports to name JavaScript.
 * The compiler leaves `.ts` in them, which not every tool accepts in a package without sources. Each has a copy for
 * CommonJS, because TypeScript takes the kind of a module from the name of its declarations.
 */
export const publishDeclarations = async (folder: string, entries: readonly string[]): Promise<Declarations> => {
  const files = new Set(entries);
  const specifiers: string[] = [];
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8');
    for (const [, , specifier = ''] of text.matchAll(SPECIFIER)) {
      if (/^\..*\.ts$/.test(specifier)) files.add(join(dirname(file), specifier.replace(/\.ts$/, '.d.ts')));
      else specifiers.push(specifier);
    }
    await writeFile(join(folder, file), withExtension(text, '.js'));
    await writeFile(join(folder, commonJsDeclarations(file)), withExtension(text, '.cjs'));
  }
  return {
    files: new Set([...files, ...[...files].map(commonJsDeclarations)]),
    packages: packagesIn(specifiers),
  };
};

/** Returns the path of the copy of declarations for CommonJS. */
export const commonJsDeclarations = (file: string): string => file.replace(/\.d\.ts$/, '.d.cts');

const withExtension = (text: string, extension: string): string =>
  text.replace(SPECIFIER, (whole, _quote, specifier: string) =>
    specifier.startsWith('.') ? whole.replace(/\.ts(?=['"]$)/, extension) : whole,
  );
