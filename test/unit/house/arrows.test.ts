import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EXPOSED_FILES, LAYERS } from './arrows.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** An import between two files of the project. */
interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly isTypeOnly: boolean;
}

const sourceFiles = globSync('{bench,bin,build,cli,examples,lambdas,lib,local,sandbox,smoke}/**/*.{ts,tsx}', {
  cwd: ROOT,
}).toSorted();

const codeOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The files behind the names that start with `#`. The packages have other files there. */
const { imports } = z
  .object({
    imports: z.record(
      z.string(),
      z.string().transform((path) => relative('.', path)),
    ),
  })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

/** Finds static and dynamic imports and re-exports with a relative or `#` specifier, or with one that is computed. */
const arrowsFrom = (from: string, code = codeOf(from)): readonly Arrow[] => {
  const statements = code.matchAll(
    /\b(import|export)\b(?!\.)(\s+type\b)?[^;'"`()]*?(?:\bfrom\s*|\(\s*)?['"`]((?:[.#]|\$\{)[^'"`]+)['"`]/g,
  );
  return [...statements].map(([, , type, specifier = '']) => ({
    from,
    to: imports[specifier] ?? relative(ROOT, join(ROOT, dirname(from), specifier)),
    isTypeOnly: type !== undefined,
  }));
};

const layerOf = (file: string) => LAYERS.find(({ files }) => files.test(file));

const isAllowed = ({ from, to, isTypeOnly }: Arrow): boolean => {
  const layer = layerOf(from);
  const target = layerOf(to)?.name ?? to;
  return layer?.mayImport.includes(target) === true || (isTypeOnly && layer?.mayImportTypes?.includes(target) === true);
};

/** Returns a cycle of files that import each other, type-only imports included, or undefined when there is none. */
const findCycle = (arrows: readonly Arrow[]): readonly string[] | undefined => {
  const targets = Map.groupBy(arrows, ({ from }) => from);
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (finished.has(file)) return undefined;
    for (const { to } of targets.get(file) ?? []) {
      const cycle = visit(to, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    finished.add(file);
    return undefined;
  };
  for (const file of targets.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
};

const arrows = sourceFiles.flatMap((file) => arrowsFrom(file)).filter(({ to }) => !to.endsWith('.css'));

describe('imports', () => {
  it('are found in every form', () => {
    const code = `import { a } from './a.ts';
import type { B } from './b.ts';
import './c.ts';
export { d } from './d.ts';
const e = await import('./e.ts');
import f, { type G } from './f.ts';
const h = await import(\`./h.ts\`);
import { functionCode } from '#function-code';
const i = await import(\`\${folder}/i.ts\`);`;

    expect(arrowsFrom('lib/x.ts', code)).toEqual([
      { from: 'lib/x.ts', to: 'lib/a.ts', isTypeOnly: false },
      { from: 'lib/x.ts', to: 'lib/b.ts', isTypeOnly: true },
      { from: 'lib/x.ts', to: 'lib/c.ts', isTypeOnly: false },
      { from: 'lib/x.ts', to: 'lib/d.ts', isTypeOnly: false },
      { from: 'lib/x.ts', to: 'lib/e.ts', isTypeOnly: false },
      { from: 'lib/x.ts', to: 'lib/f.ts', isTypeOnly: false },
      { from: 'lib/x.ts', to: 'lib/h.ts', isTypeOnly: false },
      { from: 'lib/x.ts', to: 'lib/constructs/bundled-code.ts', isTypeOnly: false },
      // No layer contains it, so a computed import is not allowed anywhere.
      { from: 'lib/x.ts', to: 'lib/${folder}/i.ts', isTypeOnly: false },
    ]);
    expect(arrows.length).toBeGreaterThan(sourceFiles.length);
  });

  it('start in a known layer, and every layer has files', () => {
    expect(sourceFiles.filter((file) => layerOf(file) === undefined)).toEqual([]);
    const used = new Set(sourceFiles.map((file) => layerOf(file)?.name));
    expect(LAYERS.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([]);
  });

  it('go only where they are allowed', () => {
    const forbidden = arrows.filter((arrow) => !isAllowed(arrow));
    expect(forbidden.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('use every entry that allows them: values for mayImport, only types for mayImportTypes', () => {
    const used = (isTypeOnly: boolean) =>
      new Set(
        arrows
          .filter((arrow) => arrow.isTypeOnly === isTypeOnly)
          .map(({ from, to }) => `${layerOf(from)?.name} → ${layerOf(to)?.name ?? to}`),
      );
    const [values, types] = [used(false), used(true)];
    const unused = LAYERS.flatMap(({ name, mayImport, mayImportTypes = [] }) => [
      ...mayImport.map((target) => `${name} → ${target}`).filter((entry) => !values.has(entry)),
      ...mayImportTypes
        .map((target) => `${name} → ${target}`)
        .filter((entry) => !types.has(entry) || values.has(entry)),
    ]);
    expect(unused).toEqual([]);
  });

  it('form no cycle', () => {
    expect(findCycle(arrows)).toBeUndefined();
  });

  it('that form a cycle are found, even through types', () => {
    const cycle = findCycle([
      { from: 'a.ts', to: 'b.ts', isTypeOnly: false },
      { from: 'b.ts', to: 'c.ts', isTypeOnly: true },
      { from: 'c.ts', to: 'b.ts', isTypeOnly: false },
    ]);
    expect(cycle).toEqual(['b.ts', 'c.ts', 'b.ts']);
  });
});

describe('the functions', () => {
  it('read the environment only in their entries', () => {
    const readers = sourceFiles.filter((file) => file.startsWith('lambdas/') && codeOf(file).includes('process.env'));
    expect(readers).toEqual(['manage', 'publish', 'receive', 'send'].map((name) => `lambdas/${name}/entry.ts`));
  });

  it('get the time and randomness from ports in rules and use cases', () => {
    const rules = sourceFiles.filter((file) =>
      /^lambdas\/(domain|table|laws|receive|send|publish|manage)\//.test(file),
    );
    const askers = rules.filter((file) =>
      /Date\.now\(|new Date\(\)|Math\.random\(|randomUUID\(|performance\.now\(/.test(codeOf(file)),
    );
    expect(askers).toEqual([]);
  });

  it('import no other function', () => {
    const functionOf = (file: string) => /^lambdas\/(receive|send|publish|manage)\//.exec(file)?.[1];
    const crossing = arrows.filter(({ from, to }) => {
      const [one, other] = [functionOf(from), functionOf(to)];
      return one !== undefined && other !== undefined && one !== other;
    });
    expect(crossing).toEqual([]);
  });

  it('expose only their configuration, the routes of the management API, and a count of queued messages', () => {
    const exposed = arrows.filter(
      ({ from, to }) => !from.startsWith('lambdas/') && /^lambdas\/(?!(domain|table|laws)\/)/.test(to),
    );
    expect(exposed.filter(({ to }) => !EXPOSED_FILES.some((files) => files.test(to)))).toEqual([]);
    expect(EXPOSED_FILES.filter((files) => !exposed.some(({ to }) => files.test(to)))).toEqual([]);
  });
});

describe('the map of imports in docs/architecture.md', () => {
  const map = /## Imports\n\n```mermaid\n(.+?)```/s.exec(codeOf('docs/architecture.md'))?.[1] ?? '';

  /** What each name in the map stands for. A file belongs to the first that matches. */
  const PARTS: Readonly<Record<string, RegExp>> = {
    bin: /^bin\//,
    lib: /^lib\//,
    operations: /^cli\/operations\//,
    cli: /^cli\//,
    local: /^local\//,
    sandbox: /^sandbox\//,
    entry: /^lambdas\/(.+\/)?entry\.ts$/,
    adapters: /^lambdas\/adapters\//,
    runtime: /^lambdas\/runtime\//,
    ports: /^lambdas\/ports\.ts$/,
    table: /^lambdas\/table\//,
    laws: /^lambdas\/laws\//,
    domain: /^lambdas\/domain\//,
    useCases: /^lambdas\//,
  };
  const partOf = (file: string) => Object.keys(PARTS).find((part) => PARTS[part]?.test(file));

  /** The arrows of a line such as `a["x"] --> b & c --> d`, where `lambdas` stands for all of its parts. */
  const drawn = map.split('\n').flatMap((line) => {
    const names = line
      .split(/--(?: "[^"]*" --)?>/)
      .map((side) => side.split('&').map((name) => name.trim().replace(/\[.*\]$/, '')));
    return names
      .slice(1)
      .flatMap((to, index) => (names[index] ?? []).flatMap((from) => to.map((target) => [from, target] as const)));
  });
  const inLambdas = Object.keys(PARTS).filter((part) => String(PARTS[part]).includes('lambdas'));
  const reachable = (from: string, seen = new Set<string>()): ReadonlySet<string> => {
    for (const [one, to] of drawn) {
      if (one !== from) continue;
      for (const part of to === 'lambdas' ? inLambdas : [to]) {
        if (!seen.has(part)) reachable(part, seen.add(part));
      }
    }
    return seen;
  };
  const imported = arrows.flatMap(({ from, to }) => {
    const [one, other] = [partOf(from), partOf(to)];
    return one === undefined || other === undefined || one === other ? [] : [`${one} → ${other}`];
  });

  it('draws only imports that exist', () => {
    const exists = ([from, to]: readonly [string, string]) =>
      (to === 'lambdas' ? inLambdas : [to]).some((part) => imported.includes(`${from} → ${part}`));
    expect(drawn.length).toBeGreaterThan(10);
    expect(drawn.filter((arrow) => !exists(arrow))).toEqual([]);
  });

  it('has a path for every import', () => {
    const missing = new Set(
      imported.filter((arrow) => {
        const [from = '', to = ''] = arrow.split(' → ');
        return !reachable(from).has(to);
      }),
    );
    expect([...missing]).toEqual([]);
  });
});
