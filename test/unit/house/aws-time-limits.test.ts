import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

/** The source files of the parts that call AWS, by path. Tests and the local cloud call only this machine. */
const SOURCES: ReadonlyMap<string, string> = new Map(
  globSync(['lambdas/**/*.ts', 'cli/**/*.ts', 'lib/**/*.ts', 'bin/**/*.ts'], { cwd: ROOT }).map((file) => [
    file,
    readFileSync(join(ROOT, file), 'utf8'),
  ]),
);

/** Create a client with the configuration of their caller, so their callers are checked instead. */
const FACTORY_FILES = [
  'lambdas/adapters/dynamodb/client.ts',
  'lambdas/adapters/eventbridge.ts',
  'lambdas/adapters/secrets.ts',
  'lambdas/adapters/sqs.ts',
];

const CREATION = /\b(?:new \w+Client|(?<!const )create(?:Sqs|Dynamodb|EventBridge|Secrets)Client)\(/g;

/** Returns the text from `start` to the bracket or, on the top level, the semicolon that ends it. */
const expressionAt = (source: string, start: number): string => {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    const char = source.charAt(at);
    if ('([{'.includes(char)) depth += 1;
    if (')]}'.includes(char)) depth -= 1;
    if (depth < 0 || (depth === 0 && char === ';')) return source.slice(start, at);
  }
  return source.slice(start);
};

const declarationIn = (source: string, name: string): string | undefined => {
  const found = new RegExp(String.raw`\bconst ${name}(?::[^=]+)? = `).exec(source);
  return found ? expressionAt(source, found.index + found[0].length) : undefined;
};

/** Returns the value of a constant of a file, or of one that the file imports. */
const constantOf = (file: string, name: string): string | undefined => {
  const source = SOURCES.get(file) ?? '';
  const from = new RegExp(String.raw`import \{[^}]*\b${name}\b[^}]*\} from '(\.[^']+)'`).exec(source)?.[1];
  const imported = from === undefined ? undefined : SOURCES.get(join(dirname(file), from));
  return declarationIn(imported ?? source, name);
};

/** A use of a name, but not as the name of a property or a called function. */
const USED_NAME = /(?<!\w|(?<!\.)\.)[A-Za-z_]\w*\b(?!\s*[:(])/g;

/** Appends the values of the constants in an expression. */
const expand = (file: string, expression: string, depth = 0): string =>
  depth === 4
    ? expression
    : expression.replaceAll(USED_NAME, (name) => {
        const value = constantOf(file, name);
        return value === undefined ? name : `${name} = ${expand(file, value, depth + 1)}`;
      });

interface Creation {
  readonly where: string;
  readonly config: string;
}

const creations: readonly Creation[] = [...SOURCES]
  .filter(([file]) => !FACTORY_FILES.includes(file))
  .flatMap(([file, source]) =>
    [...source.matchAll(CREATION)].map(({ 0: call, index }) => {
      const config = expressionAt(source, index + call.length);
      return { where: `${file}: ${call}${config.replaceAll(/\s+/g, ' ')})`, config: expand(file, config) };
    }),
  );

const limitIn = (config: string, name: string): number =>
  Number(new RegExp(String.raw`\b${name}: ([\d_]+)`).exec(config)?.[1]?.replaceAll('_', '') ?? Number.NaN);

/** Longer than the long polls, and a fraction of each function's timeout. */
const isLimited = ({ config }: Creation): boolean =>
  limitIn(config, 'connectionTimeout') <= 5_000 &&
  limitIn(config, 'requestTimeout') <= 10_000 &&
  // Without `throwOnRequestTimeout`, the SDK only logs a warning.
  /\bthrowOnRequestTimeout: true\b/.test(config);

describe('the AWS clients of the functions and the command', () => {
  it('are all found', () => {
    const files = new Set(creations.map(({ where }) => where.split(':', 1).join()));
    for (const name of ['manage', 'publish', 'receive', 'send']) expect(files).toContain(`lambdas/${name}/entry.ts`);
    expect(files).toContain('lambdas/adapters/scheduler.ts');
    expect(files).toContain('cli/base/target.ts');
    expect(creations.length).toBeGreaterThan(15);
  });

  it('have timeouts, because the SDK waits forever without them', () => {
    expect(creations.filter((creation) => !isLimited(creation)).map(({ where }) => where)).toEqual([]);
  });
});
