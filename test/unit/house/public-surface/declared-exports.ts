import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import packageJson from '../../../../package.json' with { type: 'json' };
import { inTemporaryFolder } from '../../lib/synthesized-stack.ts';

const ROOT = join(import.meta.dirname, '../../../..');

/** Lists what the package exports, as TypeScript declares it: one line for each export, and one for each member. */
export const exportLines = (): readonly string[] =>
  inTemporaryFolder((folder) => {
    const entries = Object.entries(packageJson.exports).filter(([, file]) => file.endsWith('.ts'));
    declareTypes(
      folder,
      entries.map(([, file]) => file),
    );
    return entries.flatMap(([specifier, file]) => {
      const name = join(packageJson.name, specifier);
      return exportsOf(join(folder, declarationFile(file))).flatMap(({ exported, from }) =>
        declarationLines(from, exported).map((line) => `${name}: ${line}`),
      );
    });
  });

/** Writes the declarations of the files, and of all that they import, into a folder. */
const declareTypes = (folder: string, files: readonly string[]): void => {
  const project = join(folder, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
    removeComments: true,
    rootDir: ROOT,
    outDir: folder,
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  const input = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions,
    include: [],
    files: files.map((file) => join(ROOT, file)),
  };
  writeFileSync(project, JSON.stringify(input));
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project], { cwd: ROOT });
};

const declarationFile = (file: string): string => file.replace(/\.ts$/, '.d.ts');

const NAMES = /^export (?:declare )?(?:abstract )?(?:class|interface|type|const|function) (\w+)/gm;

interface DeclaredExport {
  readonly exported: string;
  /** The file that declares it. */
  readonly from: string;
}

/** Finds the exports of an entry, which declares nothing itself. */
const exportsOf = (entry: string): readonly DeclaredExport[] => {
  const statements = readFileSync(entry, 'utf8').matchAll(/^export (?:type )?(?:\{([^}]*)\}|\*) from '(.*)';$/gm);
  const exports = [...statements].flatMap(([, list, specifier = '']) => {
    const from = join(dirname(entry), declarationFile(specifier));
    const names =
      list === undefined
        ? [...readFileSync(from, 'utf8').matchAll(NAMES)].map(([, name = '']) => name)
        : list.split(',').map((name) => name.replace(/^\s*(type\s)?/, '').trim());
    return names.filter((name) => name !== '').map((exported) => ({ exported, from }));
  });
  return exports.filter(({ exported }, index) => exports.findIndex((other) => other.exported === exported) === index);
};

/** Lists an export, and the members of a class or an interface. */
const declarationLines = (file: string, name: string): readonly string[] => {
  const text = readFileSync(file, 'utf8');
  const start = text.search(
    new RegExp(`^export (declare )?(abstract )?(class|interface|type|const|function) ${name}\\b`, 'm'),
  );
  if (start < 0) throw new Error(`${file} does not declare ${name}.`);
  const [declaration = ''] = statementsIn(text.slice(start));
  const isBlock = /^export (declare )?(abstract )?(class|interface) /.test(declaration);
  const [head = '', ...body] = isBlock ? declaration.split('{') : [declaration];
  const members = statementsIn(body.join('{').replace(/\}$/, ''));
  return [
    headOf(head),
    ...members
      .filter((member) => !/^(#|private )/.test(member))
      .map((member) => `${name}.${member.replace(/\{[^{}]*\}(\??: \w+\)$)/, 'props$1')}`),
    ...settingsLines(text, name, head),
  ];
};

const headOf = (declaration: string): string =>
  declaration
    .replace(/^export (declare )?/, '')
    .replace(/^(interface \w+) \{.*/, '$1')
    .trim();

/** Lists the settings that a construct's properties include by extending a schema's type. */
const settingsLines = (text: string, name: string, head: string): readonly string[] => {
  const [, schema] = /extends .*typeof (\w+)/.exec(head) ?? [];
  const start = schema === undefined ? -1 : text.indexOf(`declare const ${schema}:`);
  if (start < 0) return [];
  const [declaration = ''] = statementsIn(text.slice(start));
  const body = declaration.slice(declaration.indexOf('{') + 1);
  return statementsIn(body).flatMap((field) => {
    const [, setting] = /^(\w+): /.exec(field) ?? [];
    return setting === undefined ? [] : [`${name}: the setting ${setting}`];
  });
};

/** Splits declarations at the ends of statements and blocks, and puts each on one line. */
const statementsIn = (text: string): readonly string[] => {
  const statements: string[] = [];
  let depth = 0;
  let start = 0;
  for (const [index, character] of [...text].entries()) {
    if ('{(['.includes(character)) depth += 1;
    if ('})]'.includes(character)) depth -= 1;
    const endsBlock =
      character === '}' &&
      depth === 0 &&
      /^\s*export (declare )?(abstract )?(class|interface) /.test(text.slice(start));
    if (depth < 0) break;
    if ((character === ';' && depth === 0) || endsBlock) {
      statements.push(
        text
          .slice(start, endsBlock ? index + 1 : index)
          .replaceAll(/\s+/g, ' ')
          .trim(),
      );
      start = index + 1;
    }
  }
  return statements.filter((statement) => statement !== '');
};
